import type { ReactNode } from 'react';
import { paths } from '../shared/navigation/paths.js';

export interface Section {
  label: string;
  href: string;
  icon: ReactNode;
  isCurrent: (path: string) => boolean;
}

const startsWith = (start: string) => (path: string) => path.startsWith(start);

/** The pages about calls. A phone shows the first four in its bottom bar. */
export const SECTIONS: Section[] = [
  {
    label: 'Overview',
    href: paths.overview(),
    icon: <path d="M2.5 13.5v-4h3v4M6.5 13.5v-11h3v11M10.5 13.5V6h3v7.5" />,
    isCurrent: (path) => path === paths.overview(),
  },
  {
    label: 'Traces',
    href: paths.traces(),
    icon: <path d="M2 3.5h8M4.5 8H14M7 12.5h5" />,
    isCurrent: startsWith('/traces'),
  },
  {
    label: 'Sessions',
    href: paths.sessions(),
    icon: <path d="M2.5 3h11v7.5h-6L4.5 13v-2.5h-2z" />,
    isCurrent: startsWith('/sessions'),
  },
  {
    label: 'Runs',
    href: paths.testRuns(),
    icon: <path d="M4.5 3v10l8-5z" />,
    isCurrent: startsWith('/test-runs'),
  },
  {
    label: 'Datasets',
    href: paths.datasets(),
    icon: <path d="M2.5 3h11v10h-11zM2.5 6.5h11M2.5 9.8h11" />,
    isCurrent: startsWith('/datasets'),
  },
  {
    label: 'Review',
    href: paths.review(),
    icon: <path d="M2.5 4.5 4 6l2.5-3M2.5 11.5 4 13l2.5-3M9 4.5h5M9 11.5h5" />,
    isCurrent: startsWith('/review'),
  },
  {
    label: 'Functions',
    href: paths.functions(),
    icon: <path d="M11.5 2.5c-3 0-3 2-3.3 4.5S7.8 13.5 4.5 13.5M4.5 7h7" />,
    isCurrent: startsWith('/functions'),
  },
  {
    label: 'Indexes',
    href: paths.indexes(),
    icon: <path d="M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9zM10.3 10.3l3.2 3.2" />,
    isCurrent: startsWith('/indexes'),
  },
];

export const SETTINGS: Section[] = [
  {
    label: 'API keys',
    href: paths.apiKeys(),
    icon: <path d="M5.5 6.5a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7zM8 7.5 13.5 2M10.5 5l2 2" />,
    isCurrent: startsWith('/api-keys'),
  },
  {
    label: 'Members',
    href: paths.members(),
    icon: (
      <path d="M8 2.5a2.8 2.8 0 1 0 0 5.6 2.8 2.8 0 0 0 0-5.6zM2.5 13.5c.6-2.4 2.7-3.6 5.5-3.6s4.9 1.2 5.5 3.6" />
    ),
    isCurrent: startsWith('/members'),
  },
  {
    label: 'Share links',
    href: paths.shareLinks(),
    icon: (
      <path d="M6.5 9.5a2.8 2.8 0 0 0 4 0l2.2-2.2a2.8 2.8 0 0 0-4-4l-.9.9M9.5 6.5a2.8 2.8 0 0 0-4 0L3.3 8.7a2.8 2.8 0 0 0 4 4l.9-.9" />
    ),
    isCurrent: startsWith('/share-links'),
  },
  {
    label: 'Data',
    href: paths.data(),
    icon: <path d="M2.5 4h11M4 4v9.5h8V4M6 4V2.5h4V4M6.7 7v3.7M9.3 7v3.7" />,
    isCurrent: (path) => path === paths.data(),
  },
  {
    label: 'Audit log',
    href: paths.auditLog(),
    icon: <path d="M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11zM8 5v3.2l2.2 1.5" />,
    isCurrent: startsWith('/audit-log'),
  },
];
