import { Link } from '../parts/link.tsx';

export function Nowhere() {
  return (
    <section className="panel">
      <h1>There is no such page</h1>
      <p>
        <Link href="/">The overview</Link> shows what there is.
      </p>
    </section>
  );
}
