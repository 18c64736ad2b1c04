import type { Socket } from 'node:net';
import { apiProblem, problemText } from './problem.ts';

/** What cannot be read as HTTP at all, by Node's codes. */
const causes = {
  ERR_HTTP_REQUEST_TIMEOUT: () => apiProblem('request-timeout', 'The request did not arrive in time.'),
  HPE_HEADER_OVERFLOW: () => apiProblem('headers-too-large', 'The request headers exceed 16 KiB.'),
} as const;

/** Answers on the bare socket, where there is no request to answer to. */
export function rawProblem(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const known = causes[error.code as keyof typeof causes];
  const problem = known?.() ?? apiProblem('invalid-request', `The request is not HTTP: ${error.message}.`);
  const body = problemText(problem, {});
  const head = [
    `HTTP/1.1 ${problem.type.status} Bad Request`,
    'Content-Type: application/problem+json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}
