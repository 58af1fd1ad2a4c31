"""Where the library looks for the daemon."""

from __future__ import annotations

import os
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from countersign.locate import default_session, find_place


class Locate(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.home = Path(folder.name)
        environment = mock.patch.dict(os.environ, {"HOME": folder.name}, clear=True)
        environment.start()
        self.addCleanup(environment.stop)

    def write_settings(self, text: str) -> None:
        file = self.home / ".config" / "countersign" / "settings.toml"
        file.parent.mkdir(parents=True)
        file.write_text(text)

    def test_without_anything_it_is_in_the_user_s_data_folder(self) -> None:
        socket = str(self.home / ".local/share/countersign/agent.sock")
        self.assertEqual(find_place(), (socket, None))
        os.environ["XDG_DATA_HOME"] = "/srv"
        self.assertEqual(find_place().socket, "/srv/countersign/agent.sock")

    def test_the_settings_name_folder_or_socket_as_the_program_reads_them(self) -> None:
        self.write_settings('# data = "/no"\ndata = "~/cs"  # ours\n[network]\nsocket = "/no"\n')
        self.assertEqual(find_place().socket, str(self.home / "cs/agent.sock"))
        self.write_more('[agent]\nsocket = "/run/countersign/agent.sock"\n')
        self.assertEqual(find_place().socket, "/run/countersign/agent.sock")

    def write_more(self, text: str) -> None:
        with (self.home / ".config/countersign/settings.toml").open("a") as file:
            file.write(text)

    def test_the_environment_overrides_the_settings_and_arguments_override_both(self) -> None:
        self.write_settings('data = "/no"\n')
        os.environ.update(COUNTERSIGN_DATA="/data", COUNTERSIGN_TOKEN="t1")
        self.assertEqual(find_place(), ("/data/agent.sock", "t1"))
        os.environ["COUNTERSIGN_SOCKET"] = "/a.sock"
        self.assertEqual(find_place(), ("/a.sock", "t1"))
        self.assertEqual(find_place("/b.sock", "t2"), ("/b.sock", "t2"))

    def test_the_session_is_the_program_unless_it_is_named(self) -> None:
        with mock.patch("sys.argv", ["/srv/my shop.py"]):
            self.assertEqual(default_session(), "my-shop")
        with mock.patch("sys.argv", ["-c"]):
            self.assertEqual(default_session(), "python")
        os.environ["COUNTERSIGN_SESSION"] = "desk"
        self.assertEqual(default_session(), "desk")


if __name__ == "__main__":
    unittest.main()
