import type { AnchorHTMLAttributes, MouseEvent } from 'react';
import { navigate } from '../lib/navigation.ts';

type Props = AnchorHTMLAttributes<HTMLAnchorElement> & { readonly href: string };

/** A link within the console: the page stays, the address changes. With a modifier it does what links do. */
export function Link({ href, onClick, children, ...rest }: Props) {
  const follow = (event: MouseEvent<HTMLAnchorElement>): void => {
    onClick?.(event);
    if (event.defaultPrevented || event.button !== 0) return;
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    navigate(href);
  };
  return (
    <a {...rest} href={href} onClick={follow}>
      {children}
    </a>
  );
}
