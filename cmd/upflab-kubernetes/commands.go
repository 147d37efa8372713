package main

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/upflab/upflab/cmd/upflab-kubernetes/internal/plan"
	"github.com/upflab/upflab/cmd/upflab-kubernetes/internal/rights"
	"github.com/upflab/upflab/cmd/upflab-kubernetes/internal/session"
	"github.com/upflab/upflab/internal/cli/runflags"
)

// flags are those of all commands.
type flags struct {
	file, kubeconfig, context string
	upflab, out, scenario     string
}

func newRoot() *cobra.Command {
	var f flags
	root := &cobra.Command{Use: "upflab-kubernetes", Short: "Run upflab in the pods of a Kubernetes cluster",
		SilenceUsage: true, SilenceErrors: true,
		Long: `Upflab run --site kubernetes calls this program. Its other commands show what a run
would make, and which rights it needs, and remove what killed runs left.`}
	root.PersistentFlags().StringVar(&f.file, "file", "kubernetes.yaml", "`file` that says which pods run where")
	root.PersistentFlags().StringVar(&f.kubeconfig, "kubeconfig", "",
		"`file`; default: $KUBECONFIG, ~/.kube/config, or that of the pod this runs in")
	root.PersistentFlags().StringVar(&f.context, "context", "", "`name` of the kubeconfig's context")
	root.AddCommand(newRun(&f), newPlan(&f), newRights(&f), newClean(&f))
	return root
}

func (f *flags) addRun(c *cobra.Command) {
	c.Flags().StringVar(&f.upflab, "upflab", "upflab", "`program` that makes the keys of the hub")
	c.Flags().StringVar(&f.out, "out", "", "`folder` of the result, which exists")
	c.Flags().StringVar(&f.scenario, "scenario", "", "`file` of the scenario; default: a built-in one")
}

func newRun(f *flags) *cobra.Command {
	c := &cobra.Command{Use: "run -- ARGUMENTS", Short: "Run `upflab run ARGUMENTS` in pods", Args: cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			s, err := f.session(c, args)
			if err != nil {
				return err
			}
			status, err := s.Run(c.Context())
			if err == nil && status != 0 {
				return statusError(status)
			}
			return err
		}}
	f.addRun(c)
	return c
}

func newPlan(f *flags) *cobra.Command {
	c := &cobra.Command{Use: "plan -- ARGUMENTS", Short: "Show the objects that a run would make, and make nothing",
		Args: cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			s, err := f.session(c, args)
			if err != nil {
				return err
			}
			return s.Show(c.Context(), c.OutOrStdout())
		}}
	f.addRun(c)
	return c
}

func newRights(f *flags) *cobra.Command {
	return &cobra.Command{Use: "rights", Short: "Write the roles that a run needs, as YAML for an administrator", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			p, err := plan.Read(f.file)
			if err != nil {
				return err
			}
			return rights.Write(c.OutOrStdout(), p)
		}}
}

func newClean(f *flags) *cobra.Command {
	return &cobra.Command{Use: "clean", Short: "Remove what killed runs left", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			s, err := f.session(c, nil)
			if err != nil {
				return err
			}
			return s.Clean(c.Context())
		}}
}

// session connects to the cluster.
func (f *flags) session(c *cobra.Command, args []string) (*session.Session, error) {
	p, err := plan.Read(f.file)
	if err != nil {
		return nil, err
	}
	work := session.Work{Upflab: f.upflab, Out: f.out}
	if f.scenario != "" {
		if work.Scenario, err = os.ReadFile(f.scenario); err != nil {
			return nil, fmt.Errorf("read the scenario: %w", err)
		}
		work.Name = filepath.Base(f.scenario)
	}
	if work.Arguments, err = arguments(args, work.Scenario != nil); err != nil {
		return nil, err
	}
	clients, err := connect(f.kubeconfig, f.context, p)
	if err != nil {
		return nil, err
	}
	return session.New(clients, p, work, c.ErrOrStderr()), nil
}

// arguments are those of `upflab run` in a pod, the scenario first. file: it is the one that was read.
func arguments(args []string, file bool) ([]string, error) {
	f, scenario, err := runflags.Parse(args)
	switch {
	case err != nil:
		return nil, err
	case file:
		scenario = session.ScenarioPath
	}
	return append([]string{cmp.Or(scenario, runflags.DefaultScenario)}, f.Arguments()...), nil
}
