import type { ReactNode } from 'react';

/** A panel whose content may be longer than it is; it can be scrolled by keyboard, too. */
export function Scrolling({ titledBy, children }: { readonly titledBy: string; readonly children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <section className="panel" aria-labelledby={titledBy} tabIndex={0}>
      {children}
    </section>
  );
}
