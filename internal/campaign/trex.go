package campaign

import (
	"fmt"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario"
	"github.com/upflab/upflab/internal/traffic/trex"
)

// openTRex takes the ports of the TRex server that the scenario names, for the whole run, and
// says in the result which one it is. nil: upflab sends and receives.
func openTRex(s *scenario.Scenario, e *record.Engine) (*trex.Server, error) {
	if s.TRex == nil {
		return nil, nil
	}
	server, err := trex.Open(trex.Config{Server: s.TRex.Server, N3Port: s.TRex.N3Port, N6Port: s.TRex.N6Port, Force: s.TRex.Force})
	if err != nil {
		return nil, err
	}
	e.Why = fmt.Sprintf("%s; %s", e.Why, server.Words())
	e.Differences = server.Differences(float64(s.TRex.LatencyPPS))
	return server, nil
}

func closeTRex(server *trex.Server) error {
	if server == nil {
		return nil
	}
	if err := server.Close(); err != nil {
		return fmt.Errorf("give TRex's ports back: %w", err)
	}
	return nil
}
