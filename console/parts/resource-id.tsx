import { Copy } from './copy.tsx';
import { CopyIcon } from './icon.tsx';

/** `6f3c…9a01`: the ends of an id tell it apart; the whole goes into the clipboard. */
export const shortId = (id: string): string => (id.length <= 16 ? id : `${id.slice(0, 8)}…${id.slice(-4)}`);

export function ResourceId({ id }: { readonly id: string }) {
  return (
    <Copy text={id} label="copy the whole id" title={`${id}\nClick copies it`} className="copy id">
      <code>{shortId(id)}</code> <CopyIcon />
    </Copy>
  );
}
