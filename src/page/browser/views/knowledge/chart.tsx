import { withQuery } from '../../router.ts';
import { groupByRelation, positionIn, formatDay, STATE_WORDS, listTicks } from './facts.ts';
import type { Fact, Span } from './facts.ts';

/** Draws facts on a time axis: the period in which each is valid, and below it the period in which it was known. */
export function Chart({
  facts,
  span,
  asOf,
  knownAt,
  chosen,
}: {
  readonly facts: readonly Fact[];
  readonly span: Span;
  /** The selected times in milliseconds. */
  readonly asOf: number;
  readonly knownAt: number | null;
  readonly chosen: string | null;
}) {
  const ticks = listTicks(span);
  return (
    <div class="chart">
      <div class="chart-axis" aria-hidden="true">
        <div class="chart-label" />
        <div class="chart-times">
          {ticks.map(({ time, label }) => (
            <span key={time} style={{ left: `${positionIn(span, time) * 100}%` }}>
              {label}
            </span>
          ))}
        </div>
      </div>
      {groupByRelation(facts).map(({ source, relation, facts: group }, at) => (
        <section key={`${at} ${source.path} ${relation}`} class="belief" aria-label={`${source.name} ${relation}`}>
          <h3>
            <a href={withQuery({ entity: source.path, q: null, fact: null })} dir="auto">
              {source.name}
            </a>{' '}
            <bdi class="relation">{relation}</bdi>
          </h3>
          <ul>
            {group.map((fact) => (
              <li key={fact.uuid} class="fact" data-state={fact.state} data-chosen={fact.uuid === chosen}>
                <a class="chart-label" href={withQuery({ fact: fact.uuid })} data-fact={fact.uuid}>
                  <span class="fact-target" dir="auto">
                    {fact.negated === true ? 'not ' : ''}
                    {fact.target.name}
                  </span>
                  <span class="fact-state">{STATE_WORDS[fact.state]}</span>
                  <span class="visually-hidden">, {formatValidity(fact)}</span>
                </a>
                <Bars fact={fact} span={span} ticks={ticks} asOf={asOf} knownAt={knownAt} />
              </li>
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}

/** Describes the period in which a fact is valid. */
export function formatValidity({ valid_at: from, invalid_at: to, said_at: said }: Fact): string {
  const since = from === undefined ? `since it was said on ${formatDay(said)}` : `from ${formatDay(from)}`;
  return to === undefined ? since : `${since} until ${formatDay(to)}`;
}

function Bars({
  fact,
  span,
  ticks,
  asOf,
  knownAt,
}: {
  readonly fact: Fact;
  readonly span: Span;
  readonly ticks: readonly { readonly time: number }[];
  readonly asOf: number;
  readonly knownAt: number | null;
}) {
  const x = (time: number): number => positionIn(span, time) * 1000;
  const valid = [
    x(Date.parse(fact.valid_at ?? fact.said_at)),
    x(fact.invalid_at === undefined ? Infinity : Date.parse(fact.invalid_at)),
  ] as const;
  const ended = fact.deleted_at ?? fact.expired_at;
  const known = [x(Date.parse(fact.created_at)), x(ended === undefined ? Infinity : Date.parse(ended))] as const;
  return (
    <svg class="bars" viewBox="0 0 1000 24" preserveAspectRatio="none" aria-hidden="true">
      {ticks.map(({ time }) => (
        <line key={time} class="bars-tick" x1={x(time)} x2={x(time)} y1="0" y2="24" />
      ))}
      <rect class="bar-valid" x={valid[0]} width={Math.max(3, valid[1] - valid[0])} y="4" height="9" />
      <rect class="bar-known" x={known[0]} width={Math.max(3, known[1] - known[0])} y="16" height="3" />
      {fact.state === 'superseded' || fact.state === 'deleted' ? (
        <line class="bar-strike" x1={valid[0]} x2={Math.max(valid[0] + 3, valid[1])} y1="8.5" y2="8.5" />
      ) : null}
      <line class="bars-as-of" x1={x(asOf)} x2={x(asOf)} y1="0" y2="24" />
      {knownAt === null ? null : <line class="bars-known-at" x1={x(knownAt)} x2={x(knownAt)} y1="0" y2="24" />}
    </svg>
  );
}
