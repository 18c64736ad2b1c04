import { type FormEvent, type RefObject, useState } from 'react';
import { kinds, titleOf } from '../lib/kinds.ts';
import { forgetToken, useLedger } from '../lib/ledger.ts';
import { navigate, type Place } from '../lib/navigation.ts';
import { Link } from './link.tsx';

interface Props {
  readonly place: Place;
  readonly searchRef: RefObject<HTMLInputElement | null>;
  readonly onHelp: () => void;
}

const sections = [
  ['/', 'Overview'],
  ...kinds.map((kind) => [`/${kind}s`, titleOf(kind)] as const),
  ['/doctor', 'Doctor'],
] as const;

const isIn = (path: string, section: string): boolean =>
  section === '/' ? path === '/' : path === section || path.startsWith(`${section}/`);

export function Header({ place, searchRef, onHelp }: Props) {
  const { hasToken } = useLedger();
  return (
    <header className="top">
      <nav aria-label="Pages">
        {sections.map(([href, name]) => (
          <Link key={href} href={href} aria-current={isIn(place.path, href) ? 'page' : undefined}>
            {name}
          </Link>
        ))}
      </nav>
      <SearchField key={place.query.get('q')} place={place} searchRef={searchRef} />
      {hasToken && (
        <button type="button" onClick={forgetToken}>
          Forget token
        </button>
      )}
      <button type="button" onClick={onHelp} aria-keyshortcuts="?">
        Keys <kbd>?</kbd>
      </button>
      <a href="/docs">API</a>
    </header>
  );
}

function SearchField({ place, searchRef }: Pick<Props, 'place' | 'searchRef'>) {
  const [text, setText] = useState(place.query.get('q') ?? '');
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const wanted = text.trim();
    if (wanted !== '') navigate(`/search?q=${encodeURIComponent(wanted)}`);
  };
  return (
    <search className="search">
      <form onSubmit={submit}>
        <input
          ref={searchRef}
          type="search"
          aria-label="Search by id, name or host"
          placeholder="Id, name or host   /"
          aria-keyshortcuts="/"
          value={text}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={(event) => event.key === 'Escape' && event.currentTarget.blur()}
        />
      </form>
    </search>
  );
}
