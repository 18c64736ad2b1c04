import { type ReactNode, useEffect, useState } from 'react';

interface Props {
  readonly text: string;
  /** What a screen reader says, such as `Copy the id`. */
  readonly label: string;
  readonly title?: string;
  readonly className?: string;
  readonly children: ReactNode;
}

/** Copies its text when clicked, and says so for a moment. */
export function Copy({ text, label, title, className = 'copy', children }: Props) {
  const [outcome, setOutcome] = useState<string | null>(null);
  useEffect(() => {
    if (outcome === null) return;
    const timer = setTimeout(setOutcome, 1_500, null);
    return () => clearTimeout(timer);
  }, [outcome]);
  const copy = (): void => {
    write(text).then(
      () => setOutcome('copied'),
      () => setOutcome('not copied: the browser forbids it'),
    );
  };
  return (
    <button type="button" className={className} title={title ?? label} onClick={copy}>
      {children}
      <span className="visually-hidden">, {label}</span>
      <span role="status" className="copied">
        {outcome}
      </span>
    </button>
  );
}

/** Browsers know no clipboard on pages that came over plain HTTP from another machine. */
async function write(text: string): Promise<void> {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const area = document.createElement('textarea');
  area.value = text;
  document.body.append(area);
  area.select();
  const isCopied = document.execCommand('copy');
  area.remove();
  if (!isCopied) throw new Error('not copied');
}
