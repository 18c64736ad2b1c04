import { type FormEvent, useState } from 'react';
import { giveToken, useLedger } from '../lib/ledger.ts';

/** Asks who is there, on a server that wants to know. */
export function TokenPrompt() {
  const { tokenWanted, hasToken } = useLedger();
  const [token, setToken] = useState('');
  if (tokenWanted === null) return null;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (token.trim() !== '') giveToken(token.trim());
  };
  return (
    <form className="token-prompt panel" onSubmit={submit}>
      <h2>{hasToken ? 'That token does not count here' : 'This ledger asks for a token'}</h2>
      <p>{tokenWanted} It is kept in this tab, until you close it.</p>
      <label>
        Token{' '}
        <input
          type="password"
          autoComplete="off"
          value={token}
          // biome-ignore lint/a11y/noAutofocus: nothing else on the page can be done before this
          autoFocus
          onChange={(event) => setToken(event.target.value)}
        />
      </label>{' '}
      <button type="submit">Use it</button>
    </form>
  );
}
