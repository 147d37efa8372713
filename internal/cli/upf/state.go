package upf

import (
	"errors"
	"fmt"
	"log/slog"

	"github.com/spf13/cobra"

	"github.com/upflab/upflab/internal/cli/exit"
	"github.com/upflab/upflab/upf"
	"github.com/upflab/upflab/upf/datapath/xdp/pin"
)

// openState takes the folder of what is kept, and ends the programs of an earlier process
// that this one does not take over.
func openState(cfg upf.Config, log *slog.Logger) (*upf.Kept, error) {
	kept, err := cfg.State.Open(log)
	if err != nil || kept == nil {
		return nil, err
	}
	if cfg.Datapath.Kind != "xdp" || cfg.State.Fresh {
		if err := pin.Clear(cfg.State.Pins()); err != nil {
			return nil, errors.Join(err, kept.Close())
		}
	}
	if cfg.Datapath.Kind == "xdp" && pin.IsPrivate(cfg.State.Pins()) {
		log.Warn("this process has mounts of its own, as below `ip netns exec`: when it ends nothing forwards, "+
			"unless a BPF file system is mounted before",
			"mount", "mount -t bpf bpf "+cfg.State.Pins())
	}
	return kept, nil
}

func newUPFClean() *cobra.Command {
	var file string
	c := &cobra.Command{
		Use: "clean --config FILE", Short: "Remove the sessions and programs of a UPF that no longer runs", Args: cobra.NoArgs,
		Long: `Remove the sessions and programs that a UPF left which runs no more: its packets are
forwarded no more. A UPF that ends by SIGTERM leaves nothing.`,
		RunE: func(c *cobra.Command, _ []string) error {
			cfg, err := upf.LoadConfig(file, otherKinds()...)
			if err != nil {
				return exit.WrongConfig(err)
			}
			return cleanUPF(c, cfg.State)
		},
	}
	configFlag(c, &file)
	return c
}

func cleanUPF(c *cobra.Command, s upf.State) error {
	kept, err := s.Open(nil)
	switch {
	case err != nil:
		return err
	case kept == nil:
		return exit.WrongConfig(errors.New("the configuration has no state.directory: its UPF leaves nothing"))
	}
	if err := pin.Clear(s.Pins()); err != nil {
		return errors.Join(err, kept.Close())
	}
	if err := kept.Remove(); err != nil {
		return err
	}
	_, err = fmt.Fprintln(c.OutOrStdout(), "removed what was kept in", s.Directory)
	return err
}
