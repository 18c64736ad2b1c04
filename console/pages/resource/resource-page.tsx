import { useEffect, useRef } from 'react';
import type { Kind } from '../../../src/client/index.ts';
import { useKeys } from '../../lib/keys.ts';
import type { Place } from '../../lib/navigation.ts';
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
import { type Cursor, useCursor } from './use-cursor.ts';
import { useRevision } from './use-revision.ts';
import { isWhole, reachesEnd, type Shown, type Story, useStory } from './use-story.ts';
import { WhyPanel } from './why/why-panel.tsx';

interface Props {
  readonly place: Place;
  readonly kind: Kind;
  readonly id: string;
}

/** What happened to this one? */
export function ResourcePage({ place, kind, id }: Props) {
  const named = useRevision(place, kind, id);
  const at = named.revision;
  const story = useStory(kind, id, at);
  const { shown, present, arrivals, fresh, showLatest } = story;
  const entries = shown.value?.entries ?? [];
  const cursor = useCursor(place, entries, at);
  const { isLive, step, jump, follow } = cursor;
  const focusWhy = (): void => document.getElementById('why')?.focus();
  useKeys({
    j: () => step(1),
    k: () => step(-1),
    '[': () => jump(-1),
    ']': () => jump(1),
    l: () => follow(!isLive),
    w: focusWhy,
  });

  const latestShow = useRef(showLatest);
  latestShow.current = showLatest;
  useEffect(() => {
    if (isLive && fresh > 0) latestShow.current();
  }, [isLive, fresh]);

  return (
    <>
      <ResourceHeader
        kind={kind}
        id={id}
        present={present.value}
        entries={entries}
        isLive={isLive}
        onLive={follow}
        onWhy={focusWhy}
      />
      <FailureNote what="That moment" failure={named.failure} retry={named.reload} />
      <FailureNote what="Its history" failure={shown.failure} retry={shown.reload} />
      {!shown.failure && <FailureNote what="What it is now" failure={present.failure} retry={present.reload} />}
      {!present.failure && <FailureNote what="What comes new" failure={arrivals.failure} retry={arrivals.reload} />}
      {!shown.value && !shown.failure && <Skeleton lines={8} what="the history" />}
      {shown.value && entries.length > 0 && (
        <Life kind={kind} id={id} at={at} story={story} shown={shown.value} cursor={cursor} />
      )}
    </>
  );
}

interface LifeProps {
  readonly kind: Kind;
  readonly id: string;
  readonly at: number | null;
  readonly story: Story;
  readonly shown: Shown;
  readonly cursor: Cursor;
}

function Life({ kind, id, at, story, shown, cursor }: LifeProps) {
  const { entries } = shown;
  const { present, fresh, showLatest } = story;
  const state = present.value?.state ?? null;
  const entry = entries[cursor.index]!;
  // What has come and is not shown belongs to no place the cursor could be at.
  const past = at ?? (fresh > 0 ? entry.revision : null);
  return (
    <div className="resource-layout">
      <div className="resource-main">
        <Timeline
          kind={kind}
          entries={entries}
          cursor={cursor.index}
          onMove={(index) => cursor.moveTo(entries[index]!.revision)}
          statusBefore={state === null ? null : statusOf(kind, state)}
          isOpen={state !== null && reachesEnd(shown)}
          above={!isWhole(shown) && <LifeStrip kind={kind} id={id} entries={entries} onPick={cursor.moveTo} />}
          beside={
            <Around
              shown={shown}
              fresh={fresh}
              onShow={cursor.moveTo}
              onLatest={() => {
                showLatest();
                cursor.follow(cursor.isLive);
              }}
            />
          }
        />
        <MomentPanels kind={kind} id={id} entry={entry} lastRevision={shown.lastRevision} onStep={cursor.step} />
        {kind === 'node' && (
          <MachinePanel
            id={id}
            transitions={transitionsIn(entries.slice(0, cursor.index + 1))}
            isWhole={entries[0]!.revision === 0}
            node={past === null ? (state as NodeView | null) : null}
          />
        )}
      </div>
      <div className="resource-side">
        <WhyPanel kind={kind} id={id} at={past} latest={present.value?.revision ?? 0} />
        {(kind === 'server' || kind === 'node') && <GraphPanel resource={{ kind, id }} />}
      </div>
    </div>
  );
}
