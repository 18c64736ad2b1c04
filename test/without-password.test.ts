import { expect, test } from 'vitest';
import { withoutPassword } from '../src/without-password.ts';

test.each([
  ['esdb://admin:changeit@n1:2113,n2:2113?tls=true', 'esdb://admin:***@n1:2113,n2:2113?tls=true'],
  ['esdb+discover://admin:p@ss/w?rd:x@cluster:2113', 'esdb+discover://admin:***@cluster:2113'],
  ['amqps://nova:x@rabbit/%2F', 'amqps://nova:***@rabbit/%2F'],
  ['esdb://:x@n1', 'esdb://:***@n1'],
  ['esdb://admin@n1:2113', 'esdb://admin@n1:2113'],
  ['esdb://n1:2113?tlsCAFile=/etc/ca@site.crt', 'esdb://n1:2113?tlsCAFile=/etc/ca@site.crt'],
  ['sqlite:./data/a:b@c.db', 'sqlite:./data/a:b@c.db'],
])('%s is shown as %s', (url, shown) => {
  expect(withoutPassword(url)).toBe(shown);
});
