import { useEffect, useRef } from 'react';

const keys = [
  ['/', 'search'],
  ['j  k', 'the next event, the event before'],
  ['[  ]', 'the status change before, the next one'],
  ['l', 'follow live, or stop following'],
  ['w', 'why'],
  ['?', 'this help'],
  ['Esc', 'close, leave the search'],
] as const;

/** The keys, in a dialog of the browser's own: it keeps the focus inside and gives it back. */
export function Help({ onClose }: { readonly onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    dialog.current?.showModal();
  }, []);
  return (
    <dialog ref={dialog} onClose={onClose} aria-labelledby="help-title" className="panel">
      <h2 id="help-title">Keys</h2>
      <dl className="keys">
        {keys.map(([key, does]) => (
          <div key={key}>
            <dt>
              {key.split('  ').map((each) => (
                <kbd key={each}>{each}</kbd>
              ))}
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <p>On a resource's timeline, the arrow keys, Home and End move the cursor as well.</p>
      <button type="button" onClick={() => dialog.current?.close()}>
        Close
      </button>
    </dialog>
  );
}
