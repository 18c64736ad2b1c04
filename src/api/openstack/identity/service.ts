import type { Problem } from '../../problems/problem.ts';
import { Fault } from '../fault.ts';
import type { Service } from '../service.ts';

const titles: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  415: 'Unsupported Media Type',
  503: 'Service Unavailable',
};

const faultOf = ({ type, message, headers }: Problem): Fault =>
  new Fault(type.status, titles[type.status] ?? 'Internal Server Error', message, headers);

export const identity: Service = {
  type: 'identity',
  name: 'keystone',
  prefix: '/identity',
  endpoint: '/identity',
  faults: {
    of: faultOf,
    body: ({ status, kind, message }) => ({ error: { code: status, message, title: kind } }),
  },
};
