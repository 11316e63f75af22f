import { type Span, SpanKind, SpanStatusCode, type Tracer } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
import type { RequestFacts } from './request-facts.ts';

export interface Tracing {
  start(): Span;
  /** Names the operation, never the URL, which may contain a search term. */
  end(span: Span, state: RequestFacts, method: string, status: number): void;
  stop(): Promise<void>;
}

/**
 * Sends one span per request to an OpenTelemetry collector. A separate entry point, so that processes without tracing
 * do not load the library.
 */
export function createTracing(endpoint: string, service: string): Tracing {
  const provider = new NodeTracerProvider({
    resource: resourceFromAttributes({ 'service.name': service }),
    spanProcessors: [
      new BatchSpanProcessor(new OTLPTraceExporter({ url: `${endpoint.replace(/\/$/, '')}/v1/traces` })),
    ],
  });
  const tracer: Tracer = provider.getTracer('tributary');
  return {
    start: () => tracer.startSpan('request', { kind: SpanKind.SERVER }),
    end(span, state, method, status) {
      span.updateName(state.route?.id ?? 'unrouted');
      span.setAttributes({
        'http.request.method': method,
        'http.response.status_code': status,
        'tributary.request_id': state.requestId,
        ...(state.route && { 'http.route': state.route.path }),
        ...(state.caller?.profileId && { 'tributary.profile_id': state.caller.profileId }),
        ...(state.errorCode && { 'error.type': state.errorCode }),
      });
      if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    },
    stop: () => provider.shutdown(),
  };
}
