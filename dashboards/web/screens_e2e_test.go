//go:build e2e

package web_test

import (
	"bytes"
	"image/png"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestE2EScreens has Chromium draw every kind of page and holds it to the
// policy: nothing is blocked, and the picture is not blank. SCREENS names a
// folder to keep the pictures in, to be looked at.
func TestE2EScreens(t *testing.T) {
	dir := os.Getenv("SCREENS")
	if dir == "" {
		dir = t.TempDir()
	}
	srv := httptest.NewServer(handler(t, morning(), site()))
	defer srv.Close()
	for name, path := range map[string]string{
		"status": "/", "target": "/targets/edge-glm", "incidents": "/incidents",
		"leak": "/incidents/" + id('i', 1).String(), "foreign": "/incidents/" + id('i', 2).String(),
		"round": "/rounds/" + id('r', 1).String(), "runbook": "/runbooks/foreignmarker",
	} {
		t.Run(name, func(t *testing.T) { shoot(t, srv.URL+path, filepath.Join(dir, name+".png")) })
	}
}

func shoot(t *testing.T, url, file string) {
	t.Helper()
	args := []string{
		"--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--window-size=1240,1700", "--enable-logging=stderr",
		"--user-data-dir=" + t.TempDir(), "--screenshot=" + file,
	}
	if os.Getenv("SCREENS_DARK") != "" {
		args = append(args, "--force-dark-mode", "--blink-settings=preferredColorScheme=0")
	}
	cmd := exec.CommandContext(t.Context(), "chromium", append(args, url)...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("chromium (apt-get install chromium): %v\n%s", err, stderr.Bytes())
	}
	for _, line := range strings.Split(stderr.String(), "\n") {
		if strings.Contains(line, "CONSOLE") || strings.Contains(line, "Content Security Policy") {
			t.Errorf("the browser says: %s", line)
		}
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	colours := map[[3]uint32]bool{}
	for y := 0; y < img.Bounds().Dy(); y += 3 {
		for x := 0; x < img.Bounds().Dx(); x += 3 {
			r, g, b, _ := img.At(x, y).RGBA()
			colours[[3]uint32{r, g, b}] = true
		}
	}
	if len(colours) < 16 {
		t.Errorf("the picture has %d colours: it is blank", len(colours))
	}
}
