// The client: it starts `kinetree lsp`, and asks it to show the robot at the cursor.

const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

const FILES = "**/*.{urdf,xacro,srdf,sdf,world,mjcf,URDF}";

/** @type {LanguageClient | undefined} */
let client;

/** Start the server that the settings name. */
async function start() {
  const [command = "kinetree", ...args] = vscode.workspace
    .getConfiguration("kinetree")
    .get("command", ["kinetree", "lsp"]);
  client = new LanguageClient(
    "kinetree",
    "Kinetree",
    { command, args },
    {
      documentSelector: [
        { scheme: "file", pattern: FILES },
        { scheme: "file", language: "xml", pattern: "**/*.xml" },
      ],
    },
  );
  try {
    await client.start();
  } catch (error) {
    const install = "Install it with pip install 'kinetree[lsp]', or name it in the setting kinetree.command.";
    vscode.window.showErrorMessage(`${command} does not start: ${error}. ${install}`);
  }
}

/** Stop the server. */
async function stop() {
  await client?.stop().catch(() => undefined);
  client = undefined;
}

/** Show the robot of the file in the active editor, with the element at the cursor selected. */
async function show() {
  const editor = vscode.window.activeTextEditor;
  if (!editor || !client?.isRunning()) return;
  const { line, character } = editor.selection.active;
  const uri = client.code2ProtocolConverter.asUri(editor.document.uri);
  const params = { command: "kinetree.showRobot", arguments: [uri, { line, character }] };
  try {
    await client.sendRequest("workspace/executeCommand", params);
  } catch (error) {
    vscode.window.showWarningMessage(error instanceof Error ? error.message : String(error));
  }
}

/** @param {vscode.ExtensionContext} context */
async function activate(context) {
  context.subscriptions.push(
    vscode.commands.registerCommand("kinetree.showHere", show),
    vscode.commands.registerCommand("kinetree.restart", async () => {
      await stop();
      await start();
    }),
  );
  await start();
}

module.exports = { activate, deactivate: stop };
