import { useSyncExternalStore } from 'react';

/** Where the reader is: the address says all of it, so that everything can be linked to. */
export interface Place {
  readonly path: string;
  readonly query: URLSearchParams;
}

const listeners = new Set<() => void>();
const tellAll = (): void => {
  for (const listener of listeners) listener();
};

function subscribe(listener: () => void): () => void {
  if (listeners.size === 0) window.addEventListener('popstate', tellAll);
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) window.removeEventListener('popstate', tellAll);
  };
}

export function usePlace(): Place {
  const href = useSyncExternalStore(subscribe, () => window.location.href);
  const { pathname, searchParams } = new URL(href);
  return { path: pathname, query: searchParams };
}

/** Goes to another address. `replace` leaves no trace of the one before: for a cursor that moves. */
export function navigate(href: string, { replace = false }: { readonly replace?: boolean } = {}): void {
  if (replace) window.history.replaceState(null, '', href);
  else {
    window.history.pushState(null, '', href);
    window.scrollTo(0, 0);
  }
  tellAll();
}

/** The present address with other parameters; an empty value takes one away. */
export function withQuery(place: Place, changes: Readonly<Record<string, string | readonly string[] | null>>): string {
  const query = new URLSearchParams(place.query);
  for (const [name, values] of Object.entries(changes)) {
    query.delete(name);
    for (const value of [values ?? []].flat()) if (value !== '') query.append(name, value);
  }
  return query.size === 0 ? place.path : `${place.path}?${query}`;
}
