import type { ReactNode } from 'react';
import { kindOfPath, titleOf } from '../lib/kinds.ts';
import type { Place } from '../lib/navigation.ts';
import { shortId } from '../parts/resource-id.tsx';
import { DoctorPage } from './doctor/doctor-page.tsx';
import { ListPage } from './list/list-page.tsx';
import { Nowhere } from './nowhere.tsx';
import { OperationPage } from './operation/operation-page.tsx';
import { OverviewPage } from './overview/overview-page.tsx';
import { ResourcePage } from './resource/resource-page.tsx';
import { SearchPage } from './search/search-page.tsx';

export interface PageContent {
  readonly title: string;
  readonly content: ReactNode;
}

/** The page that an address names. */
export function pageOf(place: Place): PageContent {
  const [section = '', id = ''] = place.path.split('/').slice(1).map(decodeURIComponent);
  const kind = kindOfPath(section);
  if (kind && id !== '') {
    return { title: `${kind} ${shortId(id)}`, content: <ResourcePage place={place} kind={kind} id={id} /> };
  }
  if (kind) return { title: titleOf(kind), content: <ListPage place={place} kind={kind} /> };
  if (place.path === '/') return { title: 'Overview', content: <OverviewPage /> };
  if (section === 'operations' && id !== '') {
    return { title: `operation ${shortId(id)}`, content: <OperationPage place={place} id={id} /> };
  }
  if (place.path === '/doctor') return { title: 'Doctor', content: <DoctorPage /> };
  if (place.path === '/search') return { title: 'Search', content: <SearchPage query={place.query.get('q') ?? ''} /> };
  return { title: 'Nothing here', content: <Nowhere /> };
}
