package upf

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"strings"

	"github.com/coreos/go-systemd/v22/daemon"
	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/machine/gctune"
	"github.com/upflab/upflab/upf"
)

// spareMemory is what a UPF with real-time priority may use besides what its sessions need,
// octets: while garbage is collected, which with less is often, answers wait for milliseconds.
const spareMemory = 192 << 20

func runUPF(c *cobra.Command, file string) error {
	cfg, err := loadUPF(file)
	if err != nil {
		return err
	}
	if cfg.Realtime {
		gctune.AtLeast(spareMemory)
	}
	log, level := upfLog(c.ErrOrStderr(), cfg)
	ctx, stop := signal.NotifyContext(context.WithoutCancel(c.Context()), unix.SIGINT, unix.SIGTERM) // stop ends it, too
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, unix.SIGHUP, unix.SIGUSR2)
	defer signal.Stop(signals)
	if cfg.Kept, err = openState(cfg, log); err != nil {
		return err
	}
	dp, err := openDatapath(cfg)
	if err != nil {
		return errors.Join(fmt.Errorf("open the datapath: %w", err), cfg.Kept.Close())
	}
	u, err := upf.New(cfg, dp, log)
	if err != nil {
		return errors.Join(err, dp.Close(), cfg.Kept.Close())
	}
	s := service{u, file, log, level, stop}
	go s.listen(ctx, signals)
	s.notify(daemon.SdNotifyReady)
	context.AfterFunc(ctx, func() { s.notify(daemon.SdNotifyStopping) })
	err = u.Run(ctx)
	log.Info("the UPF ended", "err", err)
	return errors.Join(err, dp.Close())
}

// upfLog writes the UPF's log.
func upfLog(w io.Writer, cfg upf.Config) (*slog.Logger, *slog.LevelVar) {
	level := new(slog.LevelVar)
	level.Set(cfg.LogLevel)
	options := &slog.HandlerOptions{Level: level}
	if cfg.LogJSON {
		return slog.New(slog.NewJSONHandler(w, options)), level
	}
	return slog.New(slog.NewTextHandler(w, options)), level
}

// service is a UPF as systemd, or whoever else started it, sees it.
type service struct {
	upf   *upf.UPF
	file  string
	log   *slog.Logger
	level *slog.LevelVar
	stop  func()
}

// notify tells systemd, where it started us (sd_notify).
func (s service) notify(state string) {
	if _, err := daemon.SdNotify(false, state); err != nil {
		s.log.Warn("notify systemd", "state", state, "err", err)
	}
}

// listen obeys signals until ctx is done.
func (s service) listen(ctx context.Context, signals <-chan os.Signal) {
	for {
		select {
		case <-ctx.Done():
			return
		case which := <-signals:
			if which == unix.SIGUSR2 {
				s.upf.HandOver()
				s.stop()
				return
			}
			s.reload()
		}
	}
}

// reload takes over what can change. A configuration that is wrong changes nothing.
func (s service) reload() {
	cfg, err := loadUPF(s.file)
	if err != nil {
		s.log.Error("the configuration is wrong: the UPF goes on with the one that it has", "err", err)
		return
	}
	now, restart := s.upf.Reload(cfg)
	s.level.Set(cfg.LogLevel)
	s.log.Info("configuration read again", "file", s.file, "changed", strings.Join(now, ", "))
	if len(restart) > 0 {
		s.log.Warn("changes of these keys hold after a restart", "keys", strings.Join(restart, ", "))
	}
}
