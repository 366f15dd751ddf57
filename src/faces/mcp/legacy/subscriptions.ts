import * as z from 'zod';
import { answerRequest, defineRequest, toFault } from '../surface/request.ts';
import type { Answered, RequestContext, RequestKind } from '../surface/request.ts';
import { ChangeFollower } from '../surface/resource-changes.ts';
import type { Surface } from '../surface/surface.ts';

/** Sends notifications to the client. */
interface Notify {
  updated(uri: string): Promise<void>;
  listChanged(): Promise<void>;
}

interface Subscriptions {
  /**
   * Answers requests about subscriptions, and passes all others to the surface. A client that has asked for resources once is notified of
   * changes from then on.
   */
  answer(method: string, params: unknown, context: RequestContext): Promise<Answered>;
  end(): void;
}

const FOLLOWING: ReadonlySet<string> = new Set(['resources/list', 'resources/read', 'resources/subscribe']);

/** Manages the subscriptions of one client, in the protocol up to 2025-11-25. */
export function createSubscriptions(surface: Surface, notify: Notify): Subscriptions {
  const subscribed = new Set<string>();
  const params = z.object({ uri: z.string() });
  const following = new ChangeFollower(surface, {
    updated: (touched) => {
      for (const uri of subscribed) if (touched.has(uri)) void notify.updated(uri).catch(() => undefined);
    },
    listChanged: () => void notify.listChanged().catch(() => undefined),
  });

  const own: ReadonlyMap<string, RequestKind> = new Map(
    [
      defineRequest({
        method: 'resources/subscribe',
        params,
        answer: ({ uri }) => {
          surface.requireFollowable(uri);
          subscribed.add(uri);
          return {};
        },
      }),
      defineRequest({
        method: 'resources/unsubscribe',
        params,
        answer: ({ uri }) => {
          subscribed.delete(uri);
          return {};
        },
      }),
    ].map((kind) => [kind.method, kind]),
  );

  return {
    answer: async (method, given, context) => {
      try {
        if (FOLLOWING.has(method)) await following.start();
      } catch (error) {
        throw toFault(error);
      }
      const kind = own.get(method);
      return kind === undefined ? surface.answer(method, given, context) : answerRequest(kind, given, context);
    },
    end: () => following.stop(),
  };
}
