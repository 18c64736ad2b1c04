/** The public surface of `stackledger/client`. */

export type { Explanation, Proof, WaitedFor, Why } from '../domain/why/explanation.ts';
export type { DoctorPage, Finding } from '../domain/why/findings.ts';
export type {
  Actor,
  AnsweredEvent,
  Cause,
  CommandAnswer,
  EventMetadata,
  EventPage,
  HistoryEntry,
  JsonObject,
  JsonPatchOperation,
  LedgerEvent,
  ResourceRef,
  StateAnswer,
  StatusChange,
  Verdict,
  VerdictDone,
  VerdictRefused,
} from './answers.ts';
export type { BulkCommand, BulkOptions } from './bulk.ts';
export { type Client, type ClientOptions, createClient, type Health } from './client.ts';
export { ConnectionError, type Flaw, type Problem, ProblemError } from './errors.ts';
export type { EventPageOptions, SubscribeOptions } from './events.ts';
export type { Command, Kind, State } from './kinds.ts';
export type { LiveRead, ReadOptions } from './live-read.ts';
export type {
  BlockedFilter,
  BlockedPage,
  Graph,
  OperationPage,
  Overview,
  OverviewOptions,
  ResourceSummary,
  SearchPage,
  Stay,
  TimelineOptions,
  TimelinePage,
  VertexRef,
  Waiting,
} from './read-answers.ts';
export type { Listed, ListFilter, ListPage } from './reads.ts';
export type {
  ExecuteOptions,
  HistoryOptions,
  HistoryPage,
  HistoryPageOptions,
  Resource,
  StateOptions,
} from './resource.ts';
export type { RetryPolicy } from './retry.ts';
