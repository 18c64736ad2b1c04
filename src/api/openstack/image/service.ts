import type { Problem } from '../../problems/problem.ts';
import { Fault } from '../fault.ts';
import type { Service } from '../service.ts';

export const image: Service = {
  type: 'image',
  name: 'glance',
  prefix: '/image',
  endpoint: '/image',
  faults: {
    of: ({ slug, type, message, headers }: Problem) =>
      new Fault(type.status === 410 ? 404 : type.status, slug, message, headers),
    body: ({ status, message }) => ({ code: `${status}`, title: message, message }),
  },
};
