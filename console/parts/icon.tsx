/** Two sheets, one over the other: drawn, because not every machine has a character for it. */
export function CopyIcon() {
  return (
    <svg width="12" height="12" viewBox="0 0 12 12" aria-hidden="true">
      <path d="M3.5 3.5v-3h8v8h-3M.5 3.5h8v8h-8z" fill="none" stroke="currentColor" />
    </svg>
  );
}
