package upf

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/datapath/forward"
	"github.com/upflab/upflab/upf/n3"
	"github.com/upflab/upflab/upf/n4"
	"github.com/upflab/upflab/upf/session"
	"github.com/upflab/upflab/upf/slowpath"
)

// serveAPI serves GET /counters and GET /metrics, and what the datapath adds, until ctx is done.
func (u *UPF) serveAPI(ctx context.Context) error {
	if u.api == nil {
		return nil
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /counters", u.inspector().getCounters)
	mux.Handle("GET /metrics", u.metricsHandler())
	if u.can.ServeAPI != nil {
		u.can.ServeAPI(mux)
	}
	server := &http.Server{Handler: mux, ReadTimeout: 5 * time.Second, WriteTimeout: 5 * time.Second, IdleTimeout: time.Minute}
	return serve(ctx, u.api, server)
}

// serve answers requests until ctx is done.
func serve(ctx context.Context, l net.Listener, server *http.Server) error {
	stop := context.AfterFunc(ctx, func() { server.Close() })
	defer stop()
	if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

func (v inspector) getCounters(w http.ResponseWriter, _ *http.Request) {
	c, err := v.counters()
	if err != nil {
		http.Error(w, "read the datapath's counters: "+err.Error(), http.StatusInternalServerError)
		return
	}
	answer(w, c)
}

// Counters are totals since the UPF was made; GET /counters gives them as JSON
// with these names.
type Counters struct {
	UptimeSeconds float64          `json:"uptime_s"`
	Sessions      int              `json:"sessions"` // now
	Datapath      DatapathCounters `json:"datapath"`
	PFCP          n4.Counters      `json:"pfcp"`
	GTPU          n3.Counters      `json:"gtpu"` // what reached user space
	// SlowPath is what the datapath forwarded and the kernel sent.
	SlowPath slowpath.Counters `json:"slow_path"`
}

// DatapathCounters are datapath.Counters with names for reasons.
type DatapathCounters struct {
	Uplink   Direction         `json:"uplink"`
	Downlink Direction         `json:"downlink"`
	Accepted Direction         `json:"accepted"` // G-PDUs that came in by UEs' tunnels, whatever became of them
	Drops    map[string]uint64 `json:"drops"`    // packets by datapath.Reason's name
	Passed   uint64            `json:"passed"`   // packets handed to the kernel
	Lost     uint64            `json:"lost"`     // packets, put together from fragments, that no rules could be run over
	// Workers is what each thread did, of a datapath in user space, or each CPU that XDP spreads
	// packets among.
	Workers []Worker `json:"workers,omitempty"`
}

// Worker is datapath.Worker, in packets but for Batches.
type Worker struct {
	Received uint64 `json:"received"`
	Sent     uint64 `json:"sent"`
	Joined   uint64 `json:"joined"` // of a TUN or TAP device: with others as one
	Lost     uint64 `json:"lost"`   // refused by the kernel
	Missed   uint64 `json:"missed"` // no room in a ring of a packet socket
	Batches  uint64 `json:"batches"`
}

// Direction counts packets one way; bytes are of the T-PDUs.
type Direction struct {
	Packets uint64 `json:"packets"`
	Bytes   uint64 `json:"bytes"`
}

// Counters reads all counters. The error is the datapath's.
func (u *UPF) Counters() (Counters, error) {
	d, err := u.dp.Counters()
	if err != nil {
		return Counters{}, err
	}
	p, all := u.n4.Counters(), named(d)
	if u.can.Workers != nil {
		for _, w := range u.can.Workers() {
			all.Workers = append(all.Workers, Worker(w))
		}
	}
	return Counters{
		UptimeSeconds: time.Since(u.started).Seconds(),
		Sessions:      p.Sessions,
		Datapath:      all,
		PFCP:          p,
		GTPU:          u.n3.Counters(),
		SlowPath:      u.slow.Counters(),
	}, nil
}

func named(d datapath.Counters) DatapathCounters {
	c := DatapathCounters{
		Uplink:   Direction(d.Uplink),
		Downlink: Direction(d.Downlink),
		Accepted: Direction(d.Accepted),
		Drops:    make(map[string]uint64, len(d.Drops)),
		Passed:   d.Passed,
		Lost:     d.Lost,
	}
	for reason, n := range d.Drops {
		c.Drops[reason.String()] = n
	}
	return c
}

func (u *UPF) forward(to forward.Tunnel, tpdu []byte) { u.n3.Forward(to, tpdu) }

func (u *UPF) endMarker(tunnel session.OuterHeader) { u.n3.EndMarker(tunnel) }

const logInterval = 10 * time.Second

// logCounters writes the counters to the log, at debug, until ctx is done.
func (u *UPF) logCounters(ctx context.Context) error {
	tick := time.NewTicker(logInterval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
			if u.log.Enabled(ctx, slog.LevelDebug) {
				u.logOnce()
			}
		}
	}
}

func (u *UPF) logOnce() {
	c, err := u.Counters()
	if err != nil {
		u.log.Warn("read counters", "err", err)
		return
	}
	u.log.Debug("counters", "sessions", c.Sessions,
		"uplink_packets", c.Datapath.Uplink.Packets, "downlink_packets", c.Datapath.Downlink.Packets,
		"drops", c.Datapath.Drops, "passed", c.Datapath.Passed)
}

// metrics are the counters for Prometheus. Those that TS 28.552 defines are named after
// it, as other UPFs' are: the object class, then the measurement, lower case.
type metrics struct{ upf *UPF }

// The metrics. What TS 28.552 defines has its name in the help.
var (
	inPackets  = measured("ep_n3_gtp_indatapktn3upf", "GTP data packets that came in by N3 for a session (TS 28.552 5.4.1.1, GTP.InDataPktN3UPF)")
	outPackets = measured("ep_n3_gtp_outdatapktn3upf", "GTP data packets sent on N3 (TS 28.552 5.4.1.2, GTP.OutDataPktN3UPF)")
	inOctets   = measured("ep_n3_gtp_indataoctn3upf", "Octets of T-PDUs that came in by N3 for a session (TS 28.552 5.4.1.3, GTP.InDataOctN3UPF)")
	outOctets  = measured("ep_n3_gtp_outdataoctn3upf", "Octets of T-PDUs sent on N3 (TS 28.552 5.4.1.4, GTP.OutDataOctN3UPF)")
	estabReq   = measured("upffunction_sm_n4sessionestabreq", "N4 session establishments requested (TS 28.552 5.4.3, SM.N4SessionEstabReq)")
	estabFail  = measured("upffunction_sm_n4sessionestabfail",
		"N4 session establishments refused (TS 28.552 5.4.3, SM.N4SessionEstabFail)", "cause")
	report       = measured("upffunction_sm_n4sessionreport", "N4 session reports sent (TS 28.552 5.4.3, SM.N4SessionReport)")
	reportSucc   = measured("upffunction_sm_n4sessionreportsucc", "N4 session reports answered (TS 28.552 5.4.3, SM.N4SessionReportSucc)")
	sessionsNow  = measured("upffunction_upf_sessionnbr", "Sessions now")
	peersNow     = prometheus.NewDesc("pfcp_peers_active", "PFCP associations now", nil, nil)
	dropped      = prometheus.NewDesc("upf_dropped_packets_total", "Packets that the rules or the datapath dropped", []string{"reason"}, nil)
	passed       = prometheus.NewDesc("upf_passed_packets_total", "Packets left to the kernel", nil, nil)
	lost         = prometheus.NewDesc("upf_worker_lost_packets_total", "Packets that the kernel refused to send", []string{"worker"}, nil)
	missed       = prometheus.NewDesc("upf_worker_missed_packets_total", "Packets that found no room to be received", []string{"worker"}, nil)
	rejected     = prometheus.NewDesc("upf_pfcp_rejected_total", "PFCP requests refused", []string{"cause"}, nil)
	reportsLost  = prometheus.NewDesc("upf_pfcp_reports_lost_total", "N4 session reports that were never answered", nil, nil)
	heldLost     = prometheus.NewDesc("upf_buffer_lost_packets_total", "Buffered packets that there was no room or no tunnel for", nil, nil)
	errIndicated = prometheus.NewDesc("upf_error_indications_sent_total", "GTP-U Error Indications sent", nil, nil)
)

func measured(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc("fivegs_"+name, help, labels, nil)
}

// handler serves GET /metrics.
func (u *UPF) metricsHandler() http.Handler {
	r := prometheus.NewRegistry()
	r.MustRegister(metrics{u}, collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}), collectors.NewGoCollector())
	return promhttp.HandlerFor(r, promhttp.HandlerOpts{})
}

// Describe implements prometheus.Collector. It names nothing: labels come as they are counted.
func (m metrics) Describe(chan<- *prometheus.Desc) {}

// Collect implements prometheus.Collector.
func (m metrics) Collect(to chan<- prometheus.Metric) {
	c, err := m.upf.Counters()
	if err != nil {
		to <- prometheus.NewInvalidMetric(inPackets, err)
		return
	}
	count := func(d *prometheus.Desc, n uint64, labels ...string) {
		to <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, float64(n), labels...)
	}
	gauge := func(d *prometheus.Desc, n int) {
		to <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, float64(n))
	}
	count(inPackets, c.Datapath.Accepted.Packets)
	count(inOctets, c.Datapath.Accepted.Bytes)
	count(outPackets, c.Datapath.Downlink.Packets+c.GTPU.DataPackets)
	count(outOctets, c.Datapath.Downlink.Bytes+c.GTPU.DataBytes)
	count(passed, c.Datapath.Passed)
	count(estabReq, c.PFCP.EstablishRequests)
	count(report, c.PFCP.Reports)
	count(reportSucc, c.PFCP.ReportsAnswered)
	count(reportsLost, c.PFCP.ReportsLost)
	count(heldLost, c.PFCP.BufferLost)
	count(errIndicated, c.GTPU.ErrorIndications)
	gauge(sessionsNow, c.Sessions)
	gauge(peersNow, c.PFCP.Associations)
	for _, reason := range datapath.Reasons() { // zeros too: rates of what does not exist yet are not known
		count(dropped, c.Datapath.Drops[reason.String()], reason.String())
	}
	byLabel(count, rejected, c.PFCP.Rejected)
	byLabel(count, estabFail, c.PFCP.EstablishRejected)
	m.workers(count, c.Datapath.Workers)
}

type counting func(d *prometheus.Desc, n uint64, labels ...string)

func (m metrics) workers(count counting, all []Worker) {
	for i, w := range all {
		count(lost, w.Lost, strconv.Itoa(i))
		count(missed, w.Missed, strconv.Itoa(i))
	}
}

func byLabel(count counting, d *prometheus.Desc, by map[string]uint64) {
	for label, n := range by {
		count(d, n, label)
	}
}
