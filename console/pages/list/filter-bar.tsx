import { type FormEvent, useState } from 'react';
import type { Kind } from '../../../src/client/index.ts';
import { navigate, type Place, withQuery } from '../../lib/navigation.ts';
import { filters } from './filter.ts';

interface Props {
  readonly place: Place;
  readonly kind: Kind;
}

/** What the list is narrowed by, as chips; each lives in the address. */
export function FilterBar({ place, kind }: Props) {
  const [parameter, setParameter] = useState<string>('status');
  const [text, setText] = useState('');
  const chips = filters.flatMap((filter) =>
    place.query.getAll(filter.parameter).map((value) => ({ ...filter, value })),
  );
  const add = (event: FormEvent): void => {
    event.preventDefault();
    const value = text.trim();
    if (value === '') return;
    setText('');
    navigate(withQuery(place, { [parameter]: [...place.query.getAll(parameter), value], marker: null }));
  };
  const remove = (name: string, value: string): void =>
    navigate(withQuery(place, { [name]: place.query.getAll(name).filter((other) => other !== value), marker: null }));
  return (
    <form className="filters" aria-label={`Filters of the ${kind}s`} onSubmit={add}>
      {chips.map(({ parameter: name, words, value }) => (
        <button key={`${name} ${value}`} type="button" className="chip" onClick={() => remove(name, value)}>
          {words}: <strong>{value}</strong> <span aria-hidden="true">×</span>
          <span className="visually-hidden">, remove this filter</span>
        </button>
      ))}
      <select aria-label="Filter by" value={parameter} onChange={(event) => setParameter(event.target.value)}>
        {filters.map(({ parameter: name, words }) => (
          <option key={name} value={name}>
            {words}
          </option>
        ))}
      </select>
      <input
        aria-label="Value"
        placeholder="value, then Enter"
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
    </form>
  );
}
