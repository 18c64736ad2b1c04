/** Keeps the place of what is on its way. It shows itself only where that takes longer than a moment. */
export function Skeleton({ lines, what }: { readonly lines: number; readonly what: string }) {
  return (
    <div className="skeleton" role="status">
      <span className="visually-hidden">Loading {what}</span>
      {Array.from({ length: lines }, (_, line) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the lines are all alike
        <span key={line} />
      ))}
    </div>
  );
}
