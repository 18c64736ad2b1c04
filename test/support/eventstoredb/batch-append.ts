import { status as grpcStatus, type ServerDuplexStream } from '@grpc/grpc-js';
import { type Failure, nameIn } from './messages.ts';
import { Any, type BatchAppendReq, type BatchAppendResp, shared, status, streams } from './protocol.ts';
import type { AppendOutcome, Expectation, Proposal } from './record.ts';
import { append, dropped, proposalOf, type StreamsHost } from './streams-service.ts';

interface Gathering {
  readonly name: string;
  readonly expected: Expectation;
  readonly events: Proposal[];
}

/** Appends on one long call: each may come in pieces, and is answered by itself under its correlation id. */
export function serveBatchAppend(call: ServerDuplexStream<BatchAppendReq, BatchAppendResp>, host: StreamsHost): void {
  const gathering = new Map<string, Gathering>();
  const leads = call.metadata.get('requires-leader').at(0) === 'true';
  call.on('data', (request: BatchAppendReq) => {
    const id = request.getCorrelationId()!.getString();
    const options = request.getOptions();
    if (options) {
      gathering.set(id, {
        name: nameIn(options.getStreamIdentifier()),
        expected: expectationIn(options),
        events: [],
      });
    }
    const one = gathering.get(id)!;
    one.events.push(...request.getProposedMessagesList().map(proposalOf));
    if (!request.getIsFinal()) return;
    gathering.delete(id);
    void answer(call, host, id, one, leads);
  });
  call.on('end', () => call.end());
}

async function answer(
  call: ServerDuplexStream<BatchAppendReq, BatchAppendResp>,
  host: StreamsHost,
  id: string,
  { name, expected, events }: Gathering,
  leads: boolean,
): Promise<void> {
  try {
    const mischief = await host.admit('append', leads);
    if (mischief?.kind === 'silent') return;
    const outcome = await append(host, name, expected, events);
    if (mischief?.kind === 'unanswered') return;
    if (mischief?.kind === 'dropped') throw dropped();
    call.write(reply(id, name, outcome));
  } catch (error) {
    const failed = error as Failure;
    const type = String(failed.metadata.get('exception').at(0));
    const detail = aboutOne[type] ?? (failed.code === grpcStatus.ABORTED ? aboutOne.timeout : undefined);
    if (!detail) {
      call.emit('error', failed); // of all that are under way on the call
      return;
    }
    const response = replyTo(id, name);
    response.setError(errorOf(failed.code, failed.details, ...detail(failed)));
    call.write(response);
  }
}

/** Failures that are said of one append; any other ends the call. */
const aboutOne: Readonly<
  Record<string, (failed: Failure) => [detail: { serializeBinary(): Uint8Array }, type: string]>
> = {
  timeout: () => [new shared.Timeout(), 'Timeout'],
  'access-denied': () => [new shared.AccessDenied(), 'AccessDenied'],
  'maximum-append-size-exceeded': ({ metadata }) => {
    const exceeded = new shared.MaximumAppendSizeExceeded();
    exceeded.setMaxappendsize(Number(metadata.get('maximum-append-size').at(0)));
    return [exceeded, 'MaximumAppendSizeExceeded'];
  },
};

function expectationIn(options: NonNullable<ReturnType<BatchAppendReq['getOptions']>>): Expectation {
  if (options.hasAny()) return 'any';
  if (options.hasNoStream()) return 'no-stream';
  return options.hasStreamExists() ? 'stream-exists' : BigInt(options.getStreamPosition());
}

function replyTo(id: string, name: string): BatchAppendResp {
  const correlation = new shared.UUID();
  correlation.setString(id);
  const stream = new shared.StreamIdentifier();
  stream.setStreamName(Buffer.from(name).toString('base64'));
  const response = new streams.BatchAppendResp();
  response.setCorrelationId(correlation);
  response.setStreamIdentifier(stream);
  return response;
}

function reply(id: string, name: string, outcome: AppendOutcome): BatchAppendResp {
  const response = replyTo(id, name);
  if (outcome.kind === 'written') {
    const position = new shared.AllStreamPosition();
    position.setCommitPosition(outcome.position.toString());
    position.setPreparePosition(outcome.position.toString());
    const success = new streams.BatchAppendResp.Success();
    success.setCurrentRevision(outcome.revision.toString());
    success.setPosition(position);
    response.setSuccess(success);
  } else if (outcome.kind === 'stream-deleted') {
    response.setError(errorOf(9, 'deleted', new shared.StreamDeleted(), 'StreamDeleted'));
  } else {
    const wrong = new shared.WrongExpectedVersion();
    if (outcome.current >= 0n) wrong.setCurrentStreamRevision(outcome.current.toString());
    response.setError(errorOf(6, 'wrong expected version', wrong, 'WrongExpectedVersion'));
  }
  return response;
}

function errorOf(code: number, message: string, detail: { serializeBinary(): Uint8Array }, type: string) {
  const any = new Any();
  any.pack(detail.serializeBinary(), `event_store.client.${type}`);
  const error = new status.Status();
  error.setCode(code as Parameters<typeof error.setCode>[0]);
  error.setMessage(message);
  error.setDetails(any as Parameters<typeof error.setDetails>[0]);
  return error;
}
