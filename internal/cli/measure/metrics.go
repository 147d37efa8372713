package measure

import (
	"fmt"
	"io"
	"net"

	"github.com/upflab/upflab/internal/cli/exit"
	"github.com/upflab/upflab/internal/measure/campaign"
	"github.com/upflab/upflab/internal/measure/campaign/watch"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/report/export/live"
)

// listenMetrics takes the address of --metrics before anything is made; nil without one.
func listenMetrics(address string) (net.Listener, error) {
	if address == "" {
		return nil, nil
	}
	l, err := live.Listen(address)
	if err != nil {
		return nil, exit.WrongConfig(err)
	}
	return l, nil
}

// checkMetrics refuses an address of --metrics that nobody can listen on now.
func checkMetrics(address string) error {
	l, err := listenMetrics(address)
	if err != nil || l == nil {
		return err
	}
	return l.Close()
}

// serveMetrics puts a server of /metrics in front of the observer of a plan that has not
// begun; without a listener it changes nothing.
func serveMetrics(out io.Writer, l net.Listener, job *campaign.Job, next watch.Observer) (watch.Observer, func() error) {
	if l == nil {
		return next, func() error { return nil }
	}
	server := live.Serve(l, next, job.Trials())
	fmt.Fprintf(out, "metrics: http://%s/metrics\n", server.Address())
	save := job.Save
	job.Save = func(r *record.Result) error {
		server.Save(r)
		return save(r)
	}
	return server, server.Close
}
