import { resourceOf } from '../../domain/kernel/resource.ts';
import type { RecordedEvent } from '../../store/event-store.ts';
import { refText } from '../commands/commands.ts';

/** A recorded event with everything that is kept of it, put together from texts that exist already. */
export function eventText(event: RecordedEvent): string {
  const { id, stream, revision, position, type, v, time, dataText, metadataText } = event;
  const resource = resourceOf(stream);
  const place = `"id":"${id}","stream":${JSON.stringify(stream)},"resource":${resource ? refText(resource) : null}`;
  const kind = `"revision":${revision},"position":"${position}","type":${JSON.stringify(type)},"v":${v},"time":"${time}"`;
  return `{${place},${kind},"data":${dataText},"metadata":${metadataText}}`;
}
