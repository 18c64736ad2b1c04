import { useEffect, useRef, useState } from 'react';
import { useKeys } from './lib/keys.ts';
import { type Place, usePlace } from './lib/navigation.ts';
import { useLedgerClock } from './lib/use-ledger-clock.ts';
import { pageOf } from './pages/page-of.tsx';
import { Boundary } from './parts/boundary.tsx';
import { Header } from './parts/header.tsx';
import { Help } from './parts/help.tsx';
import { TokenPrompt } from './parts/token-prompt.tsx';

/** What is the same on every page, and the page that the address names. */
export function App() {
  const place = usePlace();
  const [isHelpOpen, setHelpOpen] = useState(false);
  useLedgerClock(place.path);
  const search = useRef<HTMLInputElement>(null);
  useKeys({
    '/': () => search.current?.focus(),
    '?': () => setHelpOpen((isOpen) => !isOpen),
  });
  return (
    <>
      <a className="skip" href="#main">
        Skip to the content
      </a>
      <Header place={place} searchRef={search} onHelp={() => setHelpOpen(true)} />
      <main id="main" tabIndex={-1}>
        <TokenPrompt />
        <Page place={place} />
      </main>
      {isHelpOpen && <Help onClose={() => setHelpOpen(false)} />}
    </>
  );
}

function Page({ place }: { readonly place: Place }) {
  const { title, content } = pageOf(place);
  const isFirst = useRef(true);
  useEffect(() => {
    document.title = `${title} · Stackledger`;
  }, [title]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page begins where its content begins, for those who cannot see that it changed
  useEffect(() => {
    if (!isFirst.current) document.getElementById('main')?.focus({ preventScroll: true });
    isFirst.current = false;
  }, [place.path]);
  return <Boundary key={place.path}>{content}</Boundary>;
}
