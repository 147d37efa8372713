package measure

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/upflab/upflab/internal/cli/exit"
	"github.com/upflab/upflab/internal/cli/flags"
	"github.com/upflab/upflab/internal/cli/outputs"
	"github.com/upflab/upflab/internal/machine/vm"
	"github.com/upflab/upflab/internal/machine/vm/inside"
	"github.com/upflab/upflab/internal/measure/campaign"
	"github.com/upflab/upflab/internal/measure/campaign/plan"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/results/store"
	"github.com/upflab/upflab/internal/scenario"
	"github.com/upflab/upflab/internal/text/units"
)

// runInVM boots a virtual machine that sees this machine's files, has the run made in it, and reports it here.
func runInVM(c *cobra.Command, name string, f runFlags) error {
	s, err := f.open(name, f.Sets)
	if err != nil {
		return err
	}
	if err := f.fitsVM(s, name); err != nil {
		return exit.WrongConfig(err)
	}
	job := &campaign.Job{Plan: plan.Plan{Scenario: s, CPUs: cpusInVM(s)}}
	absent, err := f.plan(job)
	if err != nil {
		return err
	}
	if err := targetsInVM(job.Targets); err != nil {
		return exit.WrongConfig(err)
	}
	q, m, err := machineFor(c, s)
	if err != nil {
		return err
	}
	if f.dry {
		dryRun(c.OutOrStdout(), &job.Plan, f)
		fmt.Fprintf(c.OutOrStdout(), "\nAll of that in a virtual machine: %s\n", machineWords(q, m))
		return absent.OrNil()
	}
	dir, err := outputs.RunFolder(c.ErrOrStderr(), f.out, s.Name)
	if err != nil {
		return err
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return fmt.Errorf("find the folder of the result: %w", err)
	}
	m.Writable = []string{dir}
	fmt.Fprintf(f.chatter(c), "booting a virtual machine: %s\n", machineWords(q, m))
	facts := record.VM{NIC: string(s.GuestOf().NIC), Accel: string(m.Accel), QEMU: q.Version, CPUs: m.CPUs, MemoryMiB: m.MemoryMiB, Counts: m.Counts}
	sets, err := emulatedSets(s, m)
	if err != nil {
		return err
	}
	f.Sets = append(sets, f.Sets...)
	command, err := hostCommand(c.ErrOrStderr(), f.inVM(name, dir, m))
	if err != nil {
		return err
	}
	command.MutesOutput = true // the report is printed here
	command.Up = func(up inside.Up) {
		facts.Kernel = up.Kernel
		for _, nic := range up.NICs {
			facts.Driver = nic.Driver
		}
		fmt.Fprintln(f.chatter(c), "the virtual machine runs")
	}
	status, err := q.Run(c.Context(), m, command)
	if _, none := os.Stat(filepath.Join(dir, store.FileName)); none != nil {
		_ = os.Remove(dir) // if it is empty
		return outcomeInVM(status, err)
	}
	return errors.Join(f.reportVM(c, dir, &facts), outcomeInVM(status, err))
}

// outcomeInVM is the run's own. The run in the guest has said why its status is not 0.
func outcomeInVM(status int, err error) error {
	if err == nil && status != exit.Done {
		return exit.CommandError{Status: status}
	}
	return err
}

// reportVM adds to a result where it was measured, and reports it.
func (f runFlags) reportVM(c *cobra.Command, dir string, facts *record.VM) error {
	r, err := store.Load(dir)
	if err != nil {
		return err
	}
	r.VM, r.Command = facts, os.Args // that of the guest repeats nothing here
	if note := noteOfVM(facts); note != "" {
		r.Notes = append(r.Notes, note)
	}
	if err := store.Save(dir, r); err != nil {
		return err
	}
	if err := f.present(c, dir, r); err != nil {
		return err
	}
	return outputs.Write(c.Context(), f.outputs, dir, r)
}

// noteOfVM says what a result of an emulated machine is worth; "": it was not emulated.
func noteOfVM(v *record.VM) string {
	switch {
	case v.Counts:
		return "Counted in a virtual machine whose instructions were emulated one by one, and whose clock went on by 1 ns with each: the numbers " +
			"of instructions do not depend on how fast or busy the host was. Its times of day and durations are no time."
	case v.Emulated():
		return "Measured in a virtual machine whose instructions were emulated one by one: no rate, delay, loss " +
			"or CPU time in this result means anything. What arrived, how, and what the UPF reported, does."
	}
	return ""
}

// emulatedSets spare an emulated machine what serves figures alone, of which it has none: to keep idle CPUs awake, and to
// extend or repeat trials that were disturbed. What the scenario has otherwise than others stays, and --set comes behind.
func emulatedSets(s *scenario.Scenario, m vm.Machine) (list []string, err error) {
	if m.Accel != vm.TCG {
		return nil, nil
	}
	usual, err := scenario.Defaults()
	if err != nil {
		return nil, err
	}
	if s.CPU.Idle == usual.CPU.Idle {
		list = append(list, "cpu.idle="+scenario.IdleSleep)
	}
	if s.Disturbed == usual.Disturbed {
		list = append(list, "disturbed="+string(scenario.DisturbedKeep))
	}
	if s.Attempts == usual.Attempts {
		list = append(list, "attempts=1")
	}
	return list, nil
}

// inVM is the command line in the guest, without what is done here.
func (f runFlags) inVM(name, dir string, m vm.Machine) []string {
	args := []string{"run", name, "--out", dir}
	args = append(args, f.Arguments()...)
	for _, build := range f.builds {
		args = append(args, "--build", build)
	}
	if f.variable != "" {
		args = append(args, "--variable", f.variable)
	}
	if f.quiet {
		args = append(args, "--quiet")
	}
	if m.NIC == scenario.NICVeth {
		return args
	}
	for _, set := range []string{"link=physical", "n3.device=" + vm.UPFN3, "n3.tester_device=" + vm.GNBN3,
		"n6.device=" + vm.UPFN6, "n6.tester_device=" + vm.DNN6} {
		args = append(args, "--set", set)
	}
	return args
}

// machineFor plans the virtual machine of a scenario, and refuses one that this machine cannot boot.
func machineFor(c *cobra.Command, s *scenario.Scenario) (*vm.QEMU, vm.Machine, error) {
	asked := s.GuestOf()
	q, m, err := bootable(c, asked)
	if s.Kind == scenario.KindInstructions {
		m = m.Counting()
	}
	if err == nil && m.Accel == vm.TCG {
		err = notOfSpeed(s)
	}
	return q, m, err
}

// bootable finds what a virtual machine needs.
func bootable(c *cobra.Command, asked scenario.VM) (q *vm.QEMU, m vm.Machine, err error) {
	m = vm.Machine{CPUs: asked.CPUs, MemoryMiB: asked.Memory, NIC: asked.NIC}
	if q, err = vm.FindQEMU(c.Context()); err != nil {
		return nil, m, fmt.Errorf("--site %s: %w", SiteVM, err)
	}
	if m.Kernel, err = vm.FindKernel(asked.Kernel, vm.Cache()); err != nil {
		return nil, m, exit.WrongConfig(err)
	}
	if err = q.Check(m); err != nil {
		return nil, m, exit.WrongConfig(err)
	}
	m.Accel, _ = q.Accelerator(c.Context())
	m.Single = !q.Threads()
	return q, m, nil
}

// machineWords describe a virtual machine before its start.
func machineWords(q *vm.QEMU, m vm.Machine) string {
	how := "by KVM"
	switch {
	case m.Counts:
		how = "emulated one instruction at a time, to count them"
	case m.Accel == vm.TCG:
		how = "emulated without KVM: it takes long, and no speed in the result means anything"
	}
	return fmt.Sprintf("Linux %s, %s, %s, %s; QEMU %s, %s", m.Kernel.Release, units.Plural(m.CPUs, "CPU"), units.Bytes(uint64(m.MemoryMiB)<<20),
		m.NIC, q.Version, how)
}

// hostCommand is upflab with these arguments, in this folder and with the variables that upflab reads.
func hostCommand(stderr io.Writer, args []string) (vm.Command, error) {
	program, err := os.Executable()
	if err != nil {
		return vm.Command{}, fmt.Errorf("find this program: %w", err)
	}
	dir, err := os.Getwd()
	if err != nil {
		return vm.Command{}, err
	}
	return vm.Command{Program: program, Args: append([]string{inside.Program}, args...), Dir: dir, Env: guestEnvironment(), Stderr: stderr}, nil
}

// guestEnvironment has PATH, and what begins with UPFLAB_, but for the pass to hosts that a guest cannot reach.
func guestEnvironment() []string {
	list := []string{"HOME=/root", "LANG=C.UTF-8", "PATH=" + os.Getenv("PATH") + ":/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"}
	for _, variable := range os.Environ() {
		if strings.HasPrefix(variable, "UPFLAB_") && !strings.HasPrefix(variable, flags.PassVariable+"=") {
			list = append(list, variable)
		}
	}
	return list
}
