import { formatDuration, formatLocal, formatUtc, useNow } from '../lib/time.ts';
import { Copy } from './copy.tsx';

/** How long ago; the exact time by hovering, and by a click into the clipboard. */
export function Age({ since, prefix = '', suffix = '' }: { since: string; prefix?: string; suffix?: string }) {
  const seconds = Math.floor((useNow() - Date.parse(since)) / 1000);
  return <Time time={since} text={`${prefix}${formatDuration(seconds * 1000)}${suffix}`} />;
}

/** Any words for a moment, with the moment itself behind them. */
export function Time({ time, text }: { readonly time: string; readonly text: string }) {
  const exact = `${formatUtc(time)}\n${formatLocal(time)} local time`;
  return (
    <Copy text={exact} label="copy the exact time" title={`${exact}\nClick copies both`} className="copy time">
      <time dateTime={time}>{text}</time>
    </Copy>
  );
}
