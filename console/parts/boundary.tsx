import { Component, type ReactNode } from 'react';
import { answerBehind } from '../lib/kinds.ts';

interface Props {
  readonly children: ReactNode;
}

/** A page that cannot be drawn says so, and leaves the rest of the console standing. */
export class Boundary extends Component<Props, { readonly error: Error | null }> {
  override state: { readonly error: Error | null } = { error: null };

  static getDerivedStateFromError(error: Error) {
    return { error };
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (!error) return this.props.children;
    return (
      <section className="failure" role="alert">
        <strong>
          <span aria-hidden="true">✕</span> This page cannot be drawn: {error.message}
        </strong>
        <p>The ledger is not to blame, the console is. What it would have shown is below /v1.</p>
        <p className="actions">
          <button type="button" onClick={() => this.setState({ error: null })}>
            Try again
          </button>
          <a href={answerBehind(window.location)}>The same as JSON</a>
        </p>
      </section>
    );
  }
}
