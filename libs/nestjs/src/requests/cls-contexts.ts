import type { ModulesContainer } from '@nestjs/core';

/** The part of `ClsService` of nestjs-cls 4 to 7 that is used. */
interface ClsService {
  get(): object | undefined;
  runWith<R>(store: object, step: () => R): R;
  exit<R>(step: () => R): R;
}

/** The nestjs-cls store of one request. */
interface OwnStore {
  /** The store of the step before. At first the store when the request arrived, which other requests may share. */
  store: object | undefined;
}

/**
 * Restores the context of nestjs-cls for the steps of a request, because the step before may have continued in the context of
 * another request. Only a store that is known to belong to another request is replaced, so a step may enter its own.
 */
export class ClsContexts {
  private readonly byRequest = new WeakMap<object, OwnStore>();
  private readonly owners = new WeakMap<object, OwnStore>();

  private constructor(private readonly cls: ClsService) {}

  /** @returns `undefined` for an application without nestjs-cls */
  static find(modules: ModulesContainer): ClsContexts | undefined {
    for (const { providers } of modules.values())
      for (const wrapper of providers.values())
        if (wrapper.isNotMetatype && isClsService(wrapper.instance)) return new ClsContexts(wrapper.instance);
    return undefined;
  }

  /** Call it when a request arrives: stores that are entered later belong to the request. */
  begin(rawRequest: object): OwnStore {
    let own = this.byRequest.get(rawRequest);
    if (own === undefined) {
      own = { store: this.cls.get() };
      this.byRequest.set(rawRequest, own);
    }
    return own;
  }

  /**
   * Whether a step of the request may run where it is called.
   *
   * @param isTrusted the step is called inside the request, so a store without an owner belongs to the request
   */
  isOwn(rawRequest: object, isTrusted: boolean): boolean {
    const own = this.begin(rawRequest);
    const current = this.cls.get();
    if (current === own.store) return true;
    if (current === undefined) return false;
    const owner = this.owners.get(current);
    if (owner === undefined && isTrusted) {
      this.owners.set(current, own);
      own.store = current;
    }
    return owner === undefined || owner === own;
  }

  run<R>(rawRequest: object, isTrusted: boolean, step: () => R): R {
    if (this.isOwn(rawRequest, isTrusted)) return step();
    const { store } = this.begin(rawRequest);
    return store === undefined ? this.cls.exit(step) : this.cls.runWith(store, step);
  }
}

function isClsService(value: unknown): value is ClsService {
  if (typeof value !== 'object' || value === null) return false;
  try {
    const { get, runWith, exit, isActive, getId } = value as Record<string, unknown>;
    return [get, runWith, exit, isActive, getId].every((method) => typeof method === 'function');
  } catch {
    // A proxy that works only inside a request.
    return false;
  }
}
