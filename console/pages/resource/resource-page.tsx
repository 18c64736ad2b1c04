import { useEffect, useRef } from 'react';
import type { HistoryEntry, Kind } from '../../../src/client/index.ts';
import { useKeys } from '../../lib/keys.ts';
import { navigate, type Place, withQuery } from '../../lib/navigation.ts';
import { statusOf } from '../../lib/status-of.ts';
import { FailureNote } from '../../parts/failure-note.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';
import { Around } from './around.tsx';
import { GraphPanel } from './graph-panel.tsx';
import { LifeStrip } from './life/life-strip.tsx';
import { MachinePanel, type NodeView } from './machine/machine-panel.tsx';
import { transitionsIn } from './machine/path-taken.ts';
import { MomentPanels } from './moment-panels.tsx';
import { ResourceHeader } from './resource-header.tsx';
import { Timeline } from './timeline/timeline.tsx';
import { useRevision } from './use-revision.ts';
import { type Shown, useStory } from './use-story.ts';
import { WhyPanel } from './why/why-panel.tsx';

interface Props {
  readonly place: Place;
  readonly kind: Kind;
  readonly id: string;
}

/** What happened to this one? */
export function ResourcePage({ place, kind, id }: Props) {
  const at = useRevision(place, kind, id);
  const story = useStory(kind, id, at);
  const { shown, present, fresh } = story;
  const isLive = place.query.get('live') === 'true';
  const why = useRef<HTMLElement>(null);

  const moveTo = (revision: number | null): void =>
    navigate(withQuery(place, { at: revision === null ? null : String(revision), live: null }), { replace: true });
  const follow = (wanted: boolean): void =>
    navigate(withQuery(place, { at: null, live: wanted ? 'true' : null }), { replace: true });

  const { showLatest } = story;
  const latestShow = useRef(showLatest);
  latestShow.current = showLatest;
  useEffect(() => {
    if (isLive && fresh > 0) latestShow.current();
  }, [isLive, fresh]);

  const entries = shown.value?.entries ?? [];
  const cursor = cursorIn(entries, at);
  const step = (by: number): void => {
    const entry = entries[cursor + by];
    if (entry) moveTo(entry.revision);
  };
  const jump = (by: 1 | -1): void => {
    const changes = entries.filter(({ statusChange }) => statusChange !== null);
    const here = entries[cursor]?.revision ?? 0;
    const target =
      by === 1 ? changes.find(({ revision }) => revision > here) : changes.findLast(({ revision }) => revision < here);
    if (target) moveTo(target.revision);
  };
  useKeys({
    j: () => step(1),
    k: () => step(-1),
    '[': () => jump(-1),
    ']': () => jump(1),
    l: () => follow(!isLive),
    w: () => why.current?.focus(),
  });

  const state = present.value?.state ?? null;
  return (
    <>
      <ResourceHeader
        kind={kind}
        id={id}
        present={present.value}
        entries={entries}
        isLive={isLive}
        onLive={follow}
        onWhy={() => why.current?.focus()}
      />
      <FailureNote what="Its history" failure={shown.failure} retry={shown.reload} />
      {!shown.failure && (
        <FailureNote what="What the resource is now" failure={present.failure} retry={present.reload} />
      )}
      {!shown.value && !shown.failure && <Skeleton lines={8} what="the history" />}
      {shown.value && entries.length > 0 && (
        <div className="resource-layout">
          <div className="resource-main">
            <Timeline
              kind={kind}
              entries={entries}
              cursor={cursor}
              onMove={(index) => moveTo(entries[index]!.revision)}
              statusBefore={state === null ? null : statusOf(kind, state)}
              isOpen={state !== null && reachesEnd(shown.value)}
              above={
                isPartial(shown.value) && (
                  <LifeStrip
                    kind={kind}
                    id={id}
                    entries={entries}
                    onPick={(time) => navigate(withQuery(place, { at: time, live: null }), { replace: true })}
                  />
                )
              }
              beside={
                <Around
                  shown={shown.value}
                  fresh={fresh}
                  onShow={(revision) => moveTo(revision)}
                  onLatest={() => {
                    showLatest();
                    follow(isLive);
                  }}
                />
              }
            />
            <MomentPanels
              kind={kind}
              id={id}
              entry={entries[cursor]!}
              lastRevision={shown.value.lastRevision}
              onStep={step}
            />
            {kind === 'node' && (
              <MachinePanel
                id={id}
                transitions={transitionsIn(entries.slice(0, cursor + 1))}
                isWhole={entries[0]!.revision === 0}
                node={at === null ? (state as NodeView | null) : null}
              />
            )}
          </div>
          <div className="resource-side">
            <WhyPanel kind={kind} id={id} at={at} latest={present.value?.revision ?? 0} panelRef={why} />
            {(kind === 'server' || kind === 'node') && <GraphPanel resource={{ kind, id }} />}
          </div>
        </div>
      )}
    </>
  );
}

/** The cursor is on the event of the revision the address names; on the latest one where it names none. */
function cursorIn(entries: readonly HistoryEntry[], at: number | null): number {
  if (at === null) return entries.length - 1;
  return Math.max(
    0,
    entries.findLastIndex(({ revision }) => revision <= at),
  );
}

/** Whether there are events before those that are shown, or after them. */
const isPartial = (shown: Shown): boolean => shown.entries[0]!.revision > 0 || !reachesEnd(shown);

const reachesEnd = ({ entries, lastRevision }: Shown): boolean => entries.at(-1)?.revision === lastRevision;
