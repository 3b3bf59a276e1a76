// Pages in the order of the navigation.
import type { Component } from 'svelte';
import type { PageRoute } from './lib/router.svelte';
import type { IconName } from './components/icons';

export interface PageEntry {
  name: Exclude<PageRoute['page'], 'nowhere'>;
  href: string;
  icon: IconName;
  /** Loads the page when it is first opened. */
  open: () => Promise<{ default: Component }>;
}

export const PAGES: readonly PageEntry[] = [
  { name: 'inbox', href: '/', icon: 'inbox', open: () => import('./inbox/Inbox.svelte') },
  { name: 'rules', href: '/rules', icon: 'rules', open: () => import('./rules/Rules.svelte') },
  { name: 'agents', href: '/agents', icon: 'agent', open: () => import('./agents/Agents.svelte') },
  { name: 'runs', href: '/runs', icon: 'run', open: () => import('./runs/Runs.svelte') },
  { name: 'pipelines', href: '/pipelines', icon: 'pipeline', open: () => import('./pipelines/Pipelines.svelte') },
  { name: 'audit', href: '/audit', icon: 'audit', open: () => import('./audit/Audit.svelte') },
  { name: 'settings', href: '/settings', icon: 'settings', open: () => import('./settings/Settings.svelte') },
];

/** How many pages a phone shows in its bar; the others are behind a button. */
export const IN_BAR = 4;
