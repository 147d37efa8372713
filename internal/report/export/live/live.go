// Package live serves the figures of a run while it goes, for Prometheus.
package live

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"syscall"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/upflab/upflab/internal/measure/campaign/watch"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/report/export"
)

// Server answers GET /metrics. It is a campaign's observer, too, in front of another one.
type Server struct {
	watch.Observer
	server   *http.Server
	listener net.Listener

	planned, done, invalid prometheus.Gauge
	tx, rx                 *prometheus.GaugeVec

	mu      sync.Mutex
	results export.Collected // of the trials that are finished
	target  string
	trial   record.Trial
	elapsed time.Duration
	sent    uint64
	got     uint64
}

// Listen takes an address, HOST:PORT.
func Listen(address string) (net.Listener, error) {
	l, err := net.Listen("tcp", address)
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, fmt.Errorf("--metrics %s: another program listens there: give another port, as in 127.0.0.1:9465", address)
	case err != nil:
		return nil, fmt.Errorf("--metrics %s: %w: give HOST:PORT, as in 127.0.0.1:9464", address, reason(err))
	}
	return l, nil
}

// reason is why an address cannot be listened on, without the address.
func reason(err error) error {
	var op *net.OpError
	var wrong *net.AddrError
	switch {
	case errors.As(err, &wrong):
		return errors.New(wrong.Err)
	case errors.As(err, &op):
		return op.Err
	}
	return err
}

// Serve answers until Close; trials is how many the run has.
func Serve(l net.Listener, next watch.Observer, trials int) *Server {
	gauge := func(name, help string) prometheus.Gauge {
		return prometheus.NewGauge(prometheus.GaugeOpts{Name: name, Help: help})
	}
	rate := func(name, help string) *prometheus.GaugeVec {
		return prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: name, Help: help}, []string{"dut", "direction", "load"})
	}
	s := &Server{Observer: next, listener: l,
		planned: gauge("upflab_live_trials_planned", "Trials, flows, cases or incidents that the run has; 0 where it decides."),
		done:    gauge("upflab_live_trials_done", "Trials, flows, cases or incidents that are finished."),
		invalid: gauge("upflab_live_trials_not_valid", "Trials that are finished and not valid."),
		tx:      rate("upflab_live_tx_pps", "Packets/s that are being sent."),
		rx:      rate("upflab_live_rx_pps", "Packets/s that arrive right.")}
	s.planned.Set(float64(trials))
	registry := prometheus.NewRegistry()
	registry.MustRegister(s.planned, s.done, s.invalid, s.tx, s.rx, s)
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
	s.server = &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second, WriteTimeout: 10 * time.Second}
	go s.server.Serve(l) // it ends by Close
	return s
}

// Address is where it listens.
func (s *Server) Address() string { return s.listener.Addr().String() }

// Close ends it.
func (s *Server) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if err := s.server.Shutdown(ctx); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return s.server.Close()
}

// Describe implements prometheus.Collector: what results have is known only with them.
func (s *Server) Describe(chan<- *prometheus.Desc) {}

// Collect implements prometheus.Collector: it sends the metrics as they are now.
func (s *Server) Collect(to chan<- prometheus.Metric) {
	s.mu.Lock()
	list := s.results
	s.mu.Unlock()
	list.Collect(to)
}

// Save takes over the figures of a result as it is.
func (s *Server) Save(r *record.Result) {
	list := export.Metrics(r)
	s.mu.Lock()
	s.results = list
	s.mu.Unlock()
}

// Begin implements watch.Observer: it starts the rates of the trial that begins from 0.
func (s *Server) Begin(n int, target string, t record.Trial) {
	s.mu.Lock()
	s.target, s.trial, s.elapsed, s.sent, s.got = target, t, 0, 0, 0
	s.mu.Unlock()
	s.Observer.Begin(n, target, t)
}

// Live implements watch.Observer: it sets the rates of the running trial.
func (s *Server) Live(elapsed time.Duration, sent, received uint64) {
	s.mu.Lock()
	if dt := (elapsed - s.elapsed).Seconds(); dt > 0 && sent >= s.sent && received >= s.got {
		labels := []string{s.target, string(s.trial.Direction), s.trial.Load.String()}
		s.tx.Reset()
		s.rx.Reset()
		s.tx.WithLabelValues(labels...).Set(float64(sent-s.sent) / dt)
		s.rx.WithLabelValues(labels...).Set(float64(received-s.got) / dt)
	}
	s.elapsed, s.sent, s.got = elapsed, sent, received
	s.mu.Unlock()
	s.Observer.Live(elapsed, sent, received)
}

// End implements watch.Observer: it counts the finished trial, and clears the rates.
func (s *Server) End(n int, target string, t record.Trial) {
	s.done.Set(float64(n))
	if !t.Valid {
		s.invalid.Inc()
	}
	s.tx.Reset()
	s.rx.Reset()
	s.Observer.End(n, target, t)
}

// Flowed implements watch.Observer: it counts the finished flow.
func (s *Server) Flowed(n int, target string, f record.AppFlow) {
	s.done.Set(float64(n))
	if !f.Valid {
		s.invalid.Inc()
	}
	s.Observer.Flowed(n, target, f)
}

// Tried counts the case or incident that is over.
func (s *Server) Tried(n int, target string, x watch.Step) {
	s.done.Set(float64(n))
	s.Observer.Tried(n, target, x)
}
