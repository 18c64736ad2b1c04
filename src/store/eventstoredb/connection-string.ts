import { unusable } from '../store-error.ts';

/** Options a URL may carry, as the client knows them. It only warns of others; here they are refused. */
const knownOptions = [
  'tls',
  'tlsCAFile',
  'userCertFile',
  'userKeyFile',
  'connectionName',
  'maxDiscoverAttempts',
  'discoveryInterval',
  'gossipTimeout',
  'keepAliveInterval',
  'keepAliveTimeout',
];

/** Options the client knows and this engine cannot obey, with what it does instead. */
const refusedOptions: Readonly<Record<string, string>> = {
  nodePreference: 'decisions are made on what the leader says, so the leader is always asked',
  tlsVerifyCert: 'the client does not obey it: certificates are always verified; name your authority with tlsCAFile',
  throwOnAppendFailure: 'a refused append is always an error',
  defaultDeadline: 'the engine has time limits of its own',
};

/** What the client does where the URL does not say otherwise: it gives up on a silent node soon, to ask another. */
const defaults: Readonly<Record<string, string>> = { gossipTimeout: '2', maxDiscoverAttempts: '3' };

/**
 * The client's connection string for a ledger's URL, such as `esdb://admin:secret@n1:2113,n2:2113,n3:2113?tls=true`.
 * One host is connected to as it is; several are asked who leads; `esdb+discover://` asks the name service.
 * @throws StoreError unusable-ledger
 */
export function connectionStringOf(url: string): string {
  const parts = /^(esdb(?:\+discover)?):\/\/(?:[^@/?]+@)?([^/?@]+)\/?(?:\?(.*))?$/.exec(url);
  if (!parts) throw unusable(url, 'write esdb://<host>:<port>, or esdb://<host>,<host>,<host> for a cluster');
  const [, scheme, hosts = '', query = ''] = parts;
  if (scheme === 'esdb+discover' && hosts.includes(','))
    throw unusable(
      url,
      'esdb+discover:// takes one name; the client would ignore the others. List them behind esdb://',
    );
  const options = new URLSearchParams(query);
  for (const name of options.keys()) {
    const reason = refusedOptions[name];
    if (reason) throw unusable(url, `it sets ${name}: ${reason}`);
    if (!knownOptions.includes(name)) throw unusable(url, `${name} is no option; there are ${knownOptions.join(', ')}`);
  }
  for (const [name, value] of Object.entries(defaults)) if (!options.has(name)) options.set(name, value);
  return `${url.replace(/\/?(\?.*)?$/, '')}?${options}`;
}
