package measure

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/cli/console"
	"github.com/upflab/upflab/internal/cli/exit"
	"github.com/upflab/upflab/internal/cli/outputs"
	"github.com/upflab/upflab/internal/cli/tool"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/report/render/files"
	"github.com/upflab/upflab/internal/report/sections"
	"github.com/upflab/upflab/internal/results/store"
	"github.com/upflab/upflab/internal/scenario"
	"github.com/upflab/upflab/internal/text/safefile"
)

// The sites, and the program that makes pods.
const (
	SiteKubernetes    = "kubernetes"
	SiteVM            = "vm"
	kubernetesProgram = "upflab-kubernetes"
	// clusterFile is what that program leaves next to the result.
	clusterFile = "cluster.json"
)

// runElsewhere has the run made at a site, and reports it here.
func runElsewhere(c *cobra.Command, name string, f runFlags) error {
	site, file, named := strings.Cut(f.site, "=")
	if err := f.alsoElsewhere(site); err != nil {
		return err
	}
	switch {
	case site == SiteKubernetes:
		return runInPods(c, file, name, f)
	case site == SiteVM && !named:
		return runInVM(c, name, f)
	case site == SiteVM:
		return exit.WrongConfig(fmt.Errorf("--site %s: %s takes no file; its settings are keys of the scenario, such as --set vm.kernel=host", f.site, SiteVM))
	}
	return exit.WrongConfig(fmt.Errorf("--site %s: it is %s, %s or %s=FILE", f.site, SiteVM, SiteKubernetes, SiteKubernetes))
}

// runInPods has the run made in pods of a cluster, as the file says.
func runInPods(c *cobra.Command, file, name string, f runFlags) error {
	if len(f.builds) > 0 {
		return exit.WrongConfig(fmt.Errorf("--build is for runs on this machine, not for --site %s", SiteKubernetes))
	}
	s, err := f.open(name, ofScenario(f.Sets))
	if err != nil {
		return err
	}
	if err := errors.Join(outputs.Check(f.outputs), outputs.CheckFolder(f.out)); err != nil {
		return err
	}
	if slices.ContainsFunc(s.Stacks(), func(x *scenario.Scenario) bool { return x.Transport.IPv6() }) {
		return exit.WrongConfig(fmt.Errorf("transport is ipv6, and networks of pods are set up with IPv4: leave it out with --site %s", SiteKubernetes))
	}
	program, err := beside(kubernetesProgram)
	if err != nil {
		return err
	}
	if f.dry {
		return runCommand(c, exec.CommandContext(c.Context(), program, siteArguments("plan", file, "", name, f)...))
	}
	dir, err := outputs.Folder(f.out, s.Name)
	if err != nil {
		return err
	}
	failed := runCommand(c, exec.CommandContext(c.Context(), program, siteArguments("run", file, dir, name, f)...))
	if _, err := os.Stat(filepath.Join(dir, store.FileName)); err != nil && failed != nil {
		_ = os.Remove(dir) // if it is empty
		return failed
	}
	return f.reportCluster(c, dir, s, failed)
}

// ofScenario are the settings that can be checked here. Those of places are checked in the pod,
// together with those that follow from where the pods are.
func ofScenario(sets []string) (list []string) {
	for _, set := range sets {
		section, _, _ := strings.Cut(set, ".")
		if !slices.Contains([]string{"n3", "n4", "n6", "external", "hosts", "cpu"}, section) {
			list = append(list, set)
		}
	}
	return list
}

// alsoElsewhere refuses what works on this machine alone.
func (f runFlags) alsoElsewhere(site string) error {
	for _, flag := range []struct {
		name string
		used bool
	}{{"--live", f.live}, {"--metrics", f.metrics != ""}, {"--pull", f.pull}, {"--pass", f.hosts.access.Pass != ""}} {
		if flag.used {
			return exit.WrongConfig(fmt.Errorf("%s is for runs on this machine, not for --site %s", flag.name, site))
		}
	}
	return nil
}

// beside finds a program in the folder of this one, or in PATH.
func beside(name string) (string, error) {
	path := filepath.Join(filepath.Dir(tool.Self()), name)
	if unix.Access(path, unix.X_OK) == nil {
		return path, nil
	}
	path, err := exec.LookPath(name)
	if err != nil {
		return "", fmt.Errorf("--site %s needs the program %s, which is neither next to upflab nor in PATH: build "+
			"it with `make kubernetes`", SiteKubernetes, name)
	}
	return path, nil
}

// siteArguments are those of upflab-kubernetes; after -- come those of the run in the pod.
func siteArguments(what, file, dir, name string, f runFlags) []string {
	args := []string{what, "--upflab", tool.Self()}
	if file != "" {
		args = append(args, "--file", file)
	}
	if dir != "" {
		args = append(args, "--out", dir)
	}
	if strings.ContainsRune(name, filepath.Separator) || filepath.Ext(name) != "" {
		args = append(args, "--scenario", name)
	}
	args = append(args, "--", name)
	return append(args, f.Arguments()...)
}

// runCommand runs a program to its end; Ctrl-C ends it in order. It belongs to no run of this machine: what
// it makes is in a cluster, where it goes on to remove it if upflab is killed.
func runCommand(c *cobra.Command, program *exec.Cmd) error {
	program.Stdout, program.Stderr = c.ErrOrStderr(), c.ErrOrStderr()
	program.Cancel = func() error { return program.Process.Signal(unix.SIGTERM) }
	program.SysProcAttr = &unix.SysProcAttr{Setpgid: true} // the terminal's signals come from here
	err := program.Run()
	var ended *exec.ExitError
	if errors.As(err, &ended) {
		return exit.CommandError{Status: max(ended.ExitCode(), exit.Failed)}
	}
	return err
}

// reportCluster adds to a result where its pods were, and reports it.
func (f runFlags) reportCluster(c *cobra.Command, dir string, s *scenario.Scenario, failed error) error {
	r, err := store.Load(dir)
	if err != nil {
		return err
	}
	if r.Cluster, err = readCluster(dir); err != nil {
		return err
	}
	notePodLimits(r)
	study(c.ErrOrStderr(), s, r)
	if err := store.Save(dir, r); err != nil {
		return err
	}
	if err := f.present(c, dir, r); err != nil {
		return err
	}
	return f.ended(c, dir, r, cmp.Or(exit.OfRun(r, dir, c.Context().Err() != nil), failed))
}

// present writes the report of a result that was measured elsewhere, and prints it.
func (f runFlags) present(c *cobra.Command, dir string, r *record.Result) error {
	d, err := sections.Report(r, sections.Options{})
	if err != nil {
		return err
	}
	shown := d
	if f.quiet {
		shown = sections.Headline(r)
	}
	if err := errors.Join(files.Write(dir, d), console.Document(c.OutOrStdout(), shown)); err != nil {
		return err
	}
	fmt.Fprintf(c.OutOrStdout(), "\nreport: %s/report.html\n", dir)
	return nil
}

// clusterMost is more than a cluster file has, bytes.
const clusterMost = 16 << 20

func readCluster(dir string) (*record.Cluster, error) {
	b, err := safefile.Read(filepath.Join(dir, clusterFile), clusterMost)
	if err != nil {
		return nil, fmt.Errorf("read where the pods were: %w", err)
	}
	var cluster record.Cluster
	if err := json.Unmarshal(b, &cluster); err != nil {
		return nil, fmt.Errorf("read where the pods were: %w", err)
	}
	return &cluster, nil
}

// notePodLimits says of trials that a UPF in a pod limited by how much CPU it was limited to:
// nothing but that limit may be what it lacked.
func notePodLimits(r *record.Result) {
	for _, p := range r.Cluster.LimitedCPU(record.RoleUPF) {
		for i := range r.DUTs {
			for j := range r.DUTs[i].Trials {
				if t := &r.DUTs[i].Trials[j]; t.LimitedBy == record.LimitDUT {
					t.Reasons = append(t.Reasons,
						fmt.Sprintf("the UPF's pod %s may use %s CPUs (its limit), none of which it has alone as "+
							"far as is known: that limit may be what it lacked", p.Name, p.Limits["cpu"]))
				}
			}
		}
	}
}
