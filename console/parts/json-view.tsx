import type { ReactNode } from 'react';
import { pointerStep } from '../../src/domain/kernel/json-pointer.ts';

/** A value may fill the screen; what has more members than this is folded until somebody opens it. */
const longList = 12;

/** JSON for eyes: no quotes round keys, no braces, folded where it is long. `marked` holds pointers that just changed. */
export function JsonView({
  value,
  marked = none,
  at = '',
}: {
  value: unknown;
  marked?: ReadonlySet<string>;
  at?: string;
}) {
  if (value === null || typeof value !== 'object') return <Scalar value={value} />;
  const members = Object.entries(value);
  if (members.length === 0) return <span className="json-empty">{Array.isArray(value) ? 'none' : 'empty'}</span>;
  return (
    <ul className="json">
      {members.map(([key, member]) => {
        const pointer = `${at}/${pointerStep(key)}`;
        return (
          <li key={key} className={marked.has(pointer) ? 'changed' : undefined}>
            <Member name={key} value={member}>
              <JsonView value={member} marked={marked} at={pointer} />
            </Member>
          </li>
        );
      })}
    </ul>
  );
}

const none: ReadonlySet<string> = new Set();

function Member({ name, value, children }: { name: string; value: unknown; children: ReactNode }) {
  const size = value !== null && typeof value === 'object' ? Object.keys(value).length : 0;
  if (size === 0) {
    return (
      <>
        <span className="json-key">{name}</span> {children}
      </>
    );
  }
  return (
    <details open={size <= longList}>
      <summary>
        <span className="json-key">{name}</span>
        {size > longList && <span className="json-empty"> {size}</span>}
      </summary>
      {children}
    </details>
  );
}

function Scalar({ value }: { readonly value: unknown }) {
  if (value === null || value === undefined) return <span className="json-empty">null</span>;
  if (value === '') return <span className="json-empty">""</span>;
  return <span>{String(value)}</span>;
}
