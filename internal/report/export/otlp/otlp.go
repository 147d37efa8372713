// Package otlp sends the figures of a result to an OpenTelemetry collector, by OTLP over
// HTTP. The protocol is OpenTelemetry's own library's work.
package otlp

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"time"

	"go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetrichttp"

	"github.com/upflab/upflab/internal/record"
)

// Address is where a collector takes metrics: http or https, and a host. The path is that
// of the specification, /v1/metrics, where none is given. Empty stays empty: Send then asks
// OTEL_EXPORTER_OTLP_ENDPOINT and OTEL_EXPORTER_OTLP_METRICS_ENDPOINT, and takes the collector
// of this machine without them.
func Address(text string) (string, error) {
	if text == "" {
		return "", nil
	}
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return "", fmt.Errorf("%q is no address of a collector: write it as http://127.0.0.1:4318", text)
	}
	if u.Path == "" || u.Path == "/" {
		u.Path = "/v1/metrics"
	}
	return u.String(), nil
}

// ownCollector is where one on this machine listens (OpenTelemetry Protocol Exporter: Endpoint). The library
// would take https there.
const ownCollector = "http://localhost:4318"

// Send gives a result to a collector, at an address as Address gives it. It tries for some
// 15 s while the collector is not there or busy.
func Send(ctx context.Context, address string, r *record.Result) error {
	const each, all = 5 * time.Second, 15 * time.Second
	ctx, cancel := context.WithTimeout(ctx, all+each)
	defer cancel()
	options := []otlpmetrichttp.Option{
		otlpmetrichttp.WithTimeout(all),
		otlpmetrichttp.WithRetry(otlpmetrichttp.RetryConfig{Enabled: true, InitialInterval: time.Second, MaxInterval: each, MaxElapsedTime: all}),
	}
	if address == "" && os.Getenv("OTEL_EXPORTER_OTLP_ENDPOINT") == "" && os.Getenv("OTEL_EXPORTER_OTLP_METRICS_ENDPOINT") == "" {
		address, _ = Address(ownCollector)
	}
	if address != "" {
		options = append(options, otlpmetrichttp.WithEndpointURL(address))
	}
	x, err := otlpmetrichttp.New(ctx, options...)
	if err != nil {
		return fmt.Errorf("send to OpenTelemetry's collector: %w", err)
	}
	if err := errors.Join(x.Export(ctx, Metrics(r)), x.Shutdown(ctx)); err != nil {
		return fmt.Errorf("send to OpenTelemetry's collector: %w", err)
	}
	return nil
}
