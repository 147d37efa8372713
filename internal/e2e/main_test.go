package e2e

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
)

const (
	// programVariable is the built upflab; it marks the process that tests.
	programVariable = "UPFLAB_E2E_PROGRAM"
	// builtVariable is an upflab that is built already.
	builtVariable = "UPFLAB_E2E_BUILT"
	// withoutVariable says why the tests that need privileges cannot run.
	withoutVariable = "UPFLAB_E2E_WITHOUT"
)

func TestMain(m *testing.M) {
	if program() == "" {
		os.Exit(outer())
	}
	os.Exit(inner(m))
}

// program is the path of the built upflab.
func program() string { return os.Getenv(programVariable) }

// outer builds upflab and starts this test program again in a mount namespace
// of its own. There /run is an empty disk: named namespaces and the lists of
// what runs own are the tests' alone, and gone with them.
func outer() int {
	dir, err := os.MkdirTemp("", "upflab-e2e-")
	if err != nil {
		return fail("make a folder for the program", err)
	}
	defer os.RemoveAll(dir)
	if err := os.Chmod(dir, 0o755); err != nil { // one test runs it as nobody
		return fail("open the program's folder to all", err)
	}
	built := filepath.Join(dir, "upflab")
	if err := build(built); err != nil {
		return fail("build upflab", err)
	}
	without := ""
	if os.Geteuid() != 0 {
		without = "not root"
	}
	status, err := again(built, without)
	if errors.Is(err, syscall.EPERM) && without == "" {
		status, err = again(built, "root without CAP_SYS_ADMIN")
	}
	if err != nil {
		return fail("start the tests in a mount namespace of their own", err)
	}
	return status
}

// build makes the program, or copies the one that is built already: under sudo
// the compiler would leave files of root's.
func build(to string) error {
	c := exec.Command("go", "build", "-buildvcs=false", "-o", to, "../../cmd/upflab")
	if built := os.Getenv(builtVariable); built != "" {
		c = exec.Command("cp", built, to)
	}
	c.Stderr, c.Env = os.Stderr, append(os.Environ(), "CGO_ENABLED=0") // as it is released
	return c.Run()
}

// again runs the same tests with the program that was built. Of tests that may run at the
// same time three do: they wait most of the time.
func again(built, without string) (status int, err error) {
	self, err := os.Executable()
	if err != nil {
		return 0, err
	}
	runtime.LockOSThread() // with whose end the child is killed
	c := exec.Command(self, append([]string{"-test.parallel=3"}, os.Args[1:]...)...)
	c.Stdin, c.Stdout, c.Stderr = os.Stdin, os.Stdout, os.Stderr
	c.Env = append(os.Environ(), programVariable+"="+built, withoutVariable+"="+without)
	c.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if without == "" {
		c.SysProcAttr.Cloneflags = syscall.CLONE_NEWNS
	}
	var exit *exec.ExitError
	if err := c.Run(); err != nil && !errors.As(err, &exit) {
		return 0, err
	}
	return max(c.ProcessState.ExitCode(), -c.ProcessState.ExitCode()), nil
}

func inner(m *testing.M) int {
	// Under nohup SIGHUP is ignored, and what the tests start would inherit that. A signal that is
	// caught is the default again in what is started; the tests themselves go on as nohup asks.
	if signal.Ignored(syscall.SIGHUP) {
		signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP)
	}
	if os.Getenv(withoutVariable) == "" {
		if err := privateRun(); err != nil {
			return fail("mount a /run for the tests alone", err)
		}
	}
	return m.Run()
}

func privateRun() error {
	if err := syscall.Mount("", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, ""); err != nil {
		return err
	}
	return syscall.Mount("tmpfs", "/run", "tmpfs", 0, "mode=755")
}

func fail(what string, err error) int {
	fmt.Fprintf(os.Stderr, "e2e: %s: %v\n", what, err)
	return 1
}

// takesLong skips a test that takes more than about ten seconds where only short ones are asked for:
// `make test` runs with -short, `make test-all` without.
func takesLong(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("takes long: `make test-all` runs it")
	}
}

// privileged ends a test that cannot run here; in CI that is a failure.
func privileged(t *testing.T) {
	t.Helper()
	switch without := os.Getenv(withoutVariable); {
	case without == "":
	case os.Getenv("CI") == "true":
		t.Fatalf("%s, and CI must run this", without)
	default:
		t.Skipf("%s: namespaces and BPF programs cannot be made; try sudo -E go test", without)
	}
}
