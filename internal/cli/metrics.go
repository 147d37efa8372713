package cli

import (
	"fmt"
	"io"

	"github.com/upflab/upflab/internal/measure/campaign"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/report/export/live"
)

// serveMetrics puts a server of /metrics in front of the observer of a plan that has not
// begun; with no address it changes nothing.
func serveMetrics(out io.Writer, address string, plan *campaign.Plan, next campaign.Observer) (campaign.Observer, func() error, error) {
	if address == "" {
		return next, func() error { return nil }, nil
	}
	server, err := live.Listen(address, next, plan.Trials())
	if err != nil {
		return nil, nil, configError{err}
	}
	fmt.Fprintf(out, "metrics: http://%s/metrics\n", server.Address())
	save := plan.Save
	plan.Save = func(r *record.Result) error {
		server.Save(r)
		return save(r)
	}
	return server, server.Close, nil
}
