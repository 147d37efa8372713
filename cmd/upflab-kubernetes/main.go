// Upflab-kubernetes runs upflab in the pods of a cluster: `upflab run --site kubernetes`
// calls it. It is a separate program in a separate Go module, so that Kubernetes' libraries are in
// neither the laboratory's binary nor its list of modules.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	err := newRoot().ExecuteContext(ctx)
	var status statusError
	switch {
	case err == nil:
		return
	case errors.As(err, &status):
		stop()
		os.Exit(int(status))
	}
	fmt.Fprintln(os.Stderr, "upflab:", err)
	stop()
	os.Exit(1)
}

// statusError is the exit status of the run in the pod.
type statusError int

// Error says so.
func (s statusError) Error() string { return fmt.Sprintf("the run ended with %d", int(s)) }
