import { type ComponentType, useEffect, useState } from 'react';
import { Loading } from '../shared/ui/notice.js';

/** A page whose code loads when it is first shown, or before that by `preload`. */
export type LazyPage<Props> = ComponentType<Props> & { preload: () => Promise<unknown> };

interface State<Props> {
  page?: ComponentType<Props>;
  error?: Error;
}

/**
 * Like `lazy` of React, without `Suspense`: React shows what follows a fallback 300 ms after it, however early it is loaded. A page that is
 * loaded already shows no fallback.
 */
export function lazyPage<Name extends string, Props extends object>(
  load: () => Promise<Record<Name, ComponentType<Props>>>,
  name: Name,
): LazyPage<Props> {
  let loaded: ComponentType<Props> | undefined;
  const preload = async (): Promise<ComponentType<Props>> => (loaded ??= (await load())[name]);

  function LoadedPage(props: Props) {
    const [{ page: Page, error }, setState] = useState<State<Props>>(() => (loaded ? { page: loaded } : {}));
    useEffect(() => {
      let isShown = true;
      const show = (state: State<Props>) => {
        if (isShown) setState(state);
      };
      if (Page === undefined)
        preload().then(
          (page) => {
            show({ page });
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
