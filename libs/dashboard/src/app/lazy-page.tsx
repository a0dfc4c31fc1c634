import { type ComponentType, useEffect, useState } from 'react';
import type { FirstRequests } from '../shared/http/first-requests.js';
import { Loading } from '../shared/ui/notice.js';

/** What the module of a page may export besides the page. */
interface PageModule {
  firstRequests?: FirstRequests;
  [name: string]: unknown;
}

/** A page whose code loads when it is first shown, or before that by `preload`. */
export type LazyPage<Props> = ComponentType<Props> & { preload: () => Promise<PageModule> };

interface State<Props> {
  page?: ComponentType<Props>;
  error?: Error;
}

/**
 * Like `lazy` of React, without `Suspense`: React shows what follows a fallback 300 ms after it, however early it is loaded. A page that is
 * loaded already shows no fallback.
 */
export function lazyPage<Module extends PageModule, Props extends object>(
  load: () => Promise<Module>,
  find: (module: Module) => ComponentType<Props>,
): LazyPage<Props> {
  let loaded: ComponentType<Props> | undefined;
  const preload = async () => {
    const module = await load();
    loaded = find(module);
    return module;
  };

  function LoadedPage(props: Props) {
    const [{ page: Page, error }, setState] = useState<State<Props>>(() => (loaded ? { page: loaded } : {}));
    useEffect(() => {
      let isShown = true;
      const show = (state: State<Props>) => {
        if (isShown) setState(state);
      };
      if (Page === undefined)
        preload().then(
          (module) => {
            show({ page: find(module) });
          },
          (reason: unknown) => {
            show({ error: reason instanceof Error ? reason : new Error(String(reason)) });
          },
        );
      return () => {
        isShown = false;
      };
    }, [Page]);
    if (error !== undefined) throw error;
    if (Page !== undefined) return <Page {...props} />;
    return (
      <>
        <title>Dacapo</title>
        <Loading what="the page" />
      </>
    );
  }
  return Object.assign(LoadedPage, { preload });
}
