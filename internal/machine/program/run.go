package program

import (
	"bytes"
	"context"
	"fmt"
	"strings"
)

// Run runs the program to its end.
func Run(ctx context.Context, s Spec) error {
	p, err := Start(ctx, s)
	if err != nil {
		return err
	}
	return p.Wait()
}

// Output runs the program and gives what it wrote to standard output. What it wrote to
// standard error is in the error.
func Output(ctx context.Context, s Spec) ([]byte, error) {
	var out, errs bytes.Buffer
	s.Stdout, s.Stderr = &out, &errs
	err := Run(ctx, s)
	if err != nil && errs.Len() > 0 {
		err = fmt.Errorf("%s: %w: %s", s.Args[0], err, strings.TrimSpace(errs.String()))
	}
	return out.Bytes(), err
}
