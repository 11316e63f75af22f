import { BarChart, LineChart } from 'echarts/charts';
import { GridComponent, LegendComponent, MarkLineComponent, TooltipComponent } from 'echarts/components';
import { type EChartsType, init, use } from 'echarts/core';
import { CanvasRenderer } from 'echarts/renderers';
import { useEffect, useRef } from 'react';
import { today } from '../date-range.ts';
import { day } from '../format.ts';
import { t } from '../messages/index.ts';
import { locale } from '../messages/language.ts';
import { onTheme } from '../theme.ts';

use([BarChart, LineChart, GridComponent, LegendComponent, MarkLineComponent, TooltipComponent, CanvasRenderer]);

export interface Series {
  readonly name: string;
  readonly kind: 'line' | 'bar';
  readonly colour: 'accent' | 'other';
  /** Draws the compared period as a thin dashed line. */
  readonly isBefore?: boolean;
  readonly values: readonly (number | null)[];
}

export interface TrendChartProps {
  /** Describes the chart in words. The numbers are in a table beside it. */
  readonly label: string;
  readonly days: readonly string[];
  readonly series: readonly Series[];
  readonly format: (value: number | null) => string;
  /** Formats axis labels as short as possible. */
  readonly axis?: (value: number) => string;
  /** Annotations by date. */
  readonly notes?: Readonly<Record<string, readonly string[]>>;
}

/** A chart of daily values. Loaded on demand: ECharts is larger than the rest of the console. */
export default function TrendChart(props: TrendChartProps) {
  const container = useRef<HTMLDivElement>(null);
  const chart = useRef<EChartsType>(null);

  useEffect(() => {
    if (!container.current) return undefined;
    const made = init(container.current);
    chart.current = made;
    const watch = new ResizeObserver(() => made.resize());
    watch.observe(container.current);
    return () => {
      watch.disconnect();
      made.dispose();
    };
  }, []);

  useEffect(() => {
    const draw = () => chart.current?.setOption(optionsOf(props), { notMerge: true });
    draw();
    return onTheme(draw);
  }, [props]);

  return <div ref={container} role="img" aria-label={props.label} className="h-72 w-full" />;
}

function optionsOf({ days, series, format, axis = compact, notes = {} }: TrendChartProps) {
  const now = today();
  /** Marks today as incomplete, so that readers do not compare it with full days. */
  const titleOf = (date: string) => (date === now ? t.days.soFar(day(date)) : day(date));
  const style = getComputedStyle(document.documentElement);
  const colour = (name: string) => style.getPropertyValue(`--${name}`).trim();
  const text = { color: colour('soft'), fontFamily: 'system-ui, sans-serif', fontSize: 13 };
  return {
    animation: !window.matchMedia('(prefers-reduced-motion: reduce)').matches,
    animationDuration: 300,
    textStyle: text,
    grid: { left: 4, right: 12, top: 36, bottom: 4, outerBoundsMode: 'same' },
    legend: { top: 0, left: 0, itemWidth: 14, itemHeight: 8, textStyle: text, selectedMode: false },
    // Drawn on the canvas instead of HTML, because the content security policy blocks inline styles.
    tooltip: {
      trigger: 'axis',
      renderMode: 'richText',
      confine: true,
      backgroundColor: colour('paper'),
      borderColor: colour('line'),
      borderWidth: 1,
      textStyle: { ...text, color: colour('ink') },
      formatter: (points: readonly { dataIndex: number }[]) => {
        const at = points[0]?.dataIndex ?? 0;
        const lines = series.map(({ name, values }) => `${name}  ${format(values[at] ?? null)}`);
        const date = days[at] ?? '';
        return [titleOf(date), ...lines, ...(notes[date] ?? [])].join('\n');
      },
    },
    xAxis: {
      type: 'category',
      data: days.map(titleOf),
      boundaryGap: series.some(({ kind }) => kind === 'bar'),
      axisLine: { lineStyle: { color: colour('line') } },
      axisTick: { show: false },
      // Labels an incomplete last day on the axis too, not only in the tooltip.
      axisLabel: {
        ...text,
        hideOverlap: true,
        ...(days.at(-1) === now && { showMaxLabel: true, alignMaxLabel: 'right' }),
      },
    },
    yAxis: {
      type: 'value',
      axisLabel: { ...text, formatter: axis },
      splitLine: { lineStyle: { color: colour('line') } },
      splitNumber: 4,
    },
    series: series.map(({ name, kind, colour: named, isBefore, values }, index) => ({
      name,
      type: kind,
      data: [...values],
      itemStyle: { color: colour(named), borderRadius: kind === 'bar' ? [2, 2, 0, 0] : 0 },
      ...(kind === 'line' && {
        lineStyle: isBefore
          ? { width: 1.5, type: 'dashed', color: colour(named), opacity: 0.6 }
          : { width: 2, color: colour(named) },
        symbol: 'circle',
        symbolSize: 5,
        showSymbol: days.length < 15,
        ...(named === 'accent' && !isBefore && { areaStyle: { color: colour('accent'), opacity: 0.08 } }),
      }),
      ...(kind === 'bar' && { barMaxWidth: 18, barGap: '10%' }),
      ...(index === 0 && {
        markLine: {
          symbol: ['none', 'circle'],
          symbolSize: 7,
          silent: true,
          animation: false,
          label: { show: false },
          lineStyle: { type: 'dotted', width: 1.5, color: colour('problem') },
          itemStyle: { color: colour('problem') },
          data: days.filter((date) => notes[date]).map((date) => ({ xAxis: days.indexOf(date) })),
        },
      }),
    })),
  };
}

const compactFormat = new Intl.NumberFormat(locale, { notation: 'compact', maximumFractionDigits: 1 });
const compact = (value: number): string => compactFormat.format(value);
