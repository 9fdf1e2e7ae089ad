// slotd: keeps plans, runs solves in the background, serves the web client.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"gopkg.in/yaml.v3"
)

type Config struct {
	Listen       string        `yaml:"listen"`
	Workers      int           `yaml:"workers"`
	DataDir      string        `yaml:"data_dir"`
	Python       string        `yaml:"python"`
	MaxBodyBytes int64         `yaml:"max_body_bytes"`
	DrainTimeout time.Duration `yaml:"drain_timeout"`
	TokensFile   string        `yaml:"tokens_file"`
	LogFormat    string        `yaml:"log_format"`
	CORS         []string      `yaml:"cors"`
}

func defaults() Config {
	return Config{
		Listen:       "127.0.0.1:7431",
		Workers:      2,
		DataDir:      "/var/lib/slotd",
		Python:       "python3",
		MaxBodyBytes: 8 << 20,
		DrainTimeout: 25 * time.Second,
		TokensFile:   "/etc/slotd/tokens",
		LogFormat:    "json",
	}
}

func loadConfig(path string) (Config, error) {
	c := defaults()
	raw, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return c, nil
	}
	if err != nil {
		return c, err
	}
	if err := yaml.Unmarshal(raw, &c); err != nil {
		return c, fmt.Errorf("%s: %w", path, err)
	}
	if v := os.Getenv("SLOTD_LISTEN"); v != "" {
		c.Listen = v
	}
	if c.Workers < 1 || c.Workers > 32 {
		return c, fmt.Errorf("workers must be 1..32, not %d", c.Workers)
	}
	return c, nil
}

func newLogger(format string) *slog.Logger {
	if format == "text" {
		return slog.New(slog.NewTextHandler(os.Stderr, nil))
	}
	return slog.New(slog.NewJSONHandler(os.Stderr, nil))
}

func readTokens(path string) (map[string]string, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for _, line := range strings.Split(string(raw), "\n") {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		who, hash, ok := strings.Cut(line, ":")
		if ok {
			out[strings.TrimSpace(hash)] = who
		}
	}
	return out, nil
}

func withAuth(tokens map[string]string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/healthz" || (r.Method == http.MethodGet && strings.HasSuffix(r.URL.Path, ".ics")) {
			next.ServeHTTP(w, r)
			return
		}
		who, ok := tokens[sha(r.Header.Get("X-Slot-Token"))]
		if !ok {
			http.Error(w, `{"error":"no valid token"}`, http.StatusUnauthorized)
			return
		}
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), actorKey, who)))
	})
}

func withLimit(max int64, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Body = http.MaxBytesReader(w, r.Body, max)
		next.ServeHTTP(w, r)
	})
}

func main() {
	path := flag.String("config", "/etc/slotd/slotd.yaml", "")
	check := flag.Bool("check", false, "read the config, say ok, leave")
	flag.Parse()

	cfg, err := loadConfig(*path)
	if err != nil {
		fmt.Fprintln(os.Stderr, "slotd:", err)
		os.Exit(78)
	}
	if *check {
		fmt.Println("ok")
		return
	}
	log := newLogger(cfg.LogFormat)
	tokens, err := readTokens(cfg.TokensFile)
	if err != nil {
		log.Error("tokens", "err", err)
		os.Exit(77)
	}

	q := NewQueue(cfg.Workers, &PythonRunner{Bin: cfg.Python, Dir: cfg.DataDir}, log)
	hup := make(chan os.Signal, 1)
	signal.Notify(hup, syscall.SIGHUP)
	go func() {
		for range hup {
			if t, err := readTokens(cfg.TokensFile); err == nil {
				swapTokens(tokens, t)
				log.Info("tokens reloaded", "n", len(t))
			}
		}
	}()

	srv := &http.Server{
		Addr:              cfg.Listen,
		Handler:           withLimit(cfg.MaxBodyBytes, withAuth(tokens, routes(q, cfg))),
		ReadHeaderTimeout: 5 * time.Second,
		IdleTimeout:       90 * time.Second,
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	go func() {
		<-ctx.Done()
		log.Info("draining")
		q.StopTaking()
		c, cancel := context.WithTimeout(context.Background(), cfg.DrainTimeout)
		defer cancel()
		_ = srv.Shutdown(c)
	}()
	log.Info("listening", "addr", cfg.Listen)
	if err := srv.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		log.Error("serve", "err", err)
		os.Exit(1)
	}
	q.Wait(cfg.DrainTimeout)
}
