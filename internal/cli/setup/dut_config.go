package setup

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/upflab/upflab/internal/cli/exit"
	"github.com/upflab/upflab/internal/cli/inputs"
	"github.com/upflab/upflab/internal/cli/prepare"
	"github.com/upflab/upflab/internal/cli/tool"
	"github.com/upflab/upflab/internal/lab/dut/drivers"
	"github.com/upflab/upflab/internal/machine/host"
	"github.com/upflab/upflab/internal/measure/deploy"
	"github.com/upflab/upflab/internal/text/safefile"
)

// configFlags are the flags of `upflab dut config`.
type configFlags struct {
	out, cpus, scenario string
	sets                []string
}

func newDUTConfig() *cobra.Command {
	var f configFlags
	c := &cobra.Command{
		Use: "config NAME[:MODE] --out DIR", Args: cobra.ExactArgs(1),
		Short: "Write a UPF's configuration and a script that starts it, for another machine",
		Long: `Write what upflab configures for a UPF as files: the UPF's own configuration, and one
commented script with the settings, devices, addresses, routes and the command that starts
it. On another machine the script brings the UPF up, and upflab measures it there as
--dut external; the command for that is printed, and in the script.

The UPF's driver makes the files in namespaces of upflab's, as for a run, but starts
nothing. Addresses are those of the scenario: set others by --set n3.upf=... here and
in the command that measures. Names of devices are given to the script.`,
		Example: `  sudo upflab dut config eupf:native --out eupf
  sudo upflab dut config open5gs --out open5gs --set sessions=1000 --set n3.upf=10.100.3.2 \
      --set n3.gnb=10.100.3.1`,
		RunE: func(c *cobra.Command, args []string) error { return writeConfig(c, args[0], f) },
	}
	c.Flags().StringVar(&f.out, "out", "", "`FOLDER` for the files, which is new or empty (required)")
	c.Flags().StringVar(&f.cpus, "cpus", "1", "CPUs of the other machine that the UPF may use, as `LIST` 2,3")
	c.Flags().StringVar(&f.scenario, "scenario", "load-latency", "`SCENARIO` that the UPF will be measured by, a name or a .yaml file")
	c.Flags().StringArrayVar(&f.sets, "set", nil, "change a setting of the scenario, `KEY=VALUE`; may be repeated")
	return c
}

func writeConfig(c *cobra.Command, name string, f configFlags) error {
	if f.out == "" {
		return exit.WrongUsage(c, errors.New("--out is needed: a folder for the files"))
	}
	cpus, err := cpuList(f.cpus)
	if err != nil {
		return exit.WrongUsage(c, err)
	}
	s, err := inputs.OpenScenario(f.scenario, f.sets, false)
	if err != nil {
		return exit.WrongConfig(err)
	}
	t, err := drivers.Find(name, tool.Facts().Version)
	if err != nil {
		return err
	}
	if t.Info().External {
		return exit.WrongConfig(fmt.Errorf("%s runs elsewhere already: there is nothing to write", name))
	}
	if err := emptyFolder(f.out); err != nil {
		return exit.WrongConfig(err)
	}
	if err := prepare.Machine(c.ErrOrStderr()); err != nil {
		return err
	}
	claim, err := host.NewClaim(host.NewRunID())
	if err != nil {
		return err
	}
	w, err := deploy.Write(c.Context(), claim, deploy.Request{Target: t, Scenario: s, Name: f.scenario, Sets: f.sets,
		CPUs: cpus, Version: tool.Facts().Version, Dir: f.out})
	if err := errors.Join(err, claim.Close()); err != nil {
		return fmt.Errorf("%s: %w", t.Label(), err)
	}
	out := c.OutOrStdout()
	for _, file := range w.Files {
		fmt.Fprintln(out, filepath.Join(f.out, file))
	}
	fmt.Fprintf(out, "\nCopy %s to the UPF's machine, and there, with its devices:\n\n  sudo N3=DEVICE N4=DEVICE "+
		"N6=DEVICE ./%s\n", f.out, deploy.ScriptName)
	fmt.Fprintf(out, "\nThen here, as root, with the interfaces that lead there:\n\n")
	for _, line := range append(w.Addresses, w.Measure) {
		fmt.Fprintln(out, "  "+line)
	}
	return nil
}

// cpuList reads "2,3".
func cpuList(text string) (list []int, err error) {
	for _, word := range strings.Split(text, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(word))
		if err != nil || n < 0 {
			return nil, fmt.Errorf("--cpus %s: not a list of CPUs: write 1, or 2,3", text)
		}
		list = append(list, n)
	}
	return list, nil
}

// emptyFolder makes a folder, or takes one that has nothing in it.
func emptyFolder(dir string) error {
	if err := safefile.MakeFolder(dir, 0o755); err != nil {
		return fmt.Errorf("make the folder for the files: %w", err)
	}
	if has, err := os.ReadDir(dir); err != nil || len(has) > 0 {
		return errors.Join(fmt.Errorf("--out %s is not empty: name another folder, so that no file of yours is replaced", dir), err)
	}
	return nil
}
