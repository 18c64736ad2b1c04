import { Copy } from './copy.tsx';

/** A command to be run in a shell, ready to copy. */
export function CommandLine({ text }: { readonly text: string }) {
  return (
    <div className="command-line">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
      <pre tabIndex={0}>{text}</pre>
      <Copy text={text} label="copy the command">
        copy
      </Copy>
    </div>
  );
}
