import type { ReactNode } from 'react';

/** Says what has come meanwhile, and shows it when it is pressed. */
export const Pill = ({
  children,
  onClick,
}: {
  readonly children: ReactNode;
  readonly onClick: (() => void) | undefined;
}) => (
  <button type="button" className="pill" onClick={onClick}>
    {children}
  </button>
);
